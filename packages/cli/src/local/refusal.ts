/** Stops a command with a message that says what to do, and no stack trace. Never a bug. */
export class Refusal extends Error {}
