/**
 * A part of the protocol, written as if all bytes were already there: it yields when it has consumed all received bytes
 * and continues when more arrive. The state of a half-read message is therefore only in the step itself.
 */
export type Step<T> = Generator<void, T, void>
