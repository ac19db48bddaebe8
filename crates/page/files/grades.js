// Grades of moves that lost a part of the score. The scale is the engine's: the answer to the action `games` has it.
//
//   gradeOf(grades, loss)     the grade of a loss in points, { sign, name, loss }, or null if it is too small for one

export const gradeOf = (grades, loss) => grades.findLast((grade) => loss >= grade.loss) ?? null;
