/**
 * The handler of actions that change nothing inside a machine. `screenshot`, `finished` and `failed` only ask for a
 * look or report a result, and `client:user-takeover` gives the control to a person; the control plane does all of that
 * itself. Every such action names this handler, so that "nothing" is a decision and never an omission.
 */
export async function doesNothingInTheMachine(): Promise<void> {}
