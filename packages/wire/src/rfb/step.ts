/**
 * A part of the protocol, written as if all bytes were already there: it yields when it has consumed all received bytes
 * and continues when more arrive. The state of a half-read message is therefore only in the step itself. It also yields
 * between two messages or rectangles when the turn of the work budget is over, and continues with the next turn.
 */
export type Step<T> = Generator<void, T, void>
