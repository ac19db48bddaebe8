// How a person's games against each level ended, kept in this browser.
//
//   scoreAgainst(settings, line, level)     { won, drawn, lost }, or null before the first game
//   addScore(settings, line, level, points)     points: of the person, 0 to 100
//   scoreInWords(score)                       "2 won, 1 drawn, 3 lost"

const keyOf = ({ game, rules }, level) => `score.${game}.${rules}.${level}`;

export const scoreAgainst = (settings, line, level) => settings.get(keyOf(line, level));

export function addScore(settings, line, level, points) {
  const score = scoreAgainst(settings, line, level) ?? { won: 0, drawn: 0, lost: 0 };
  score[points > 50 ? "won" : points < 50 ? "lost" : "drawn"] += 1;
  settings.set(keyOf(line, level), score);
}

export const scoreInWords = ({ won, drawn, lost }) => `${won} won, ${drawn} drawn, ${lost} lost`;
