// What is thrown where an engine is asked.

/** What the engine said about a wrong line. */
export class EngineError extends Error {}

/** A search that nobody waits for any more. */
export class Cancelled extends Error {}
