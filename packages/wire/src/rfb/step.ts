/**
 * A part of the protocol that reads as if every byte were there already: it yields when it has used up what came,
 * and goes on when more has come. So no state of a half-read message is kept anywhere but in the step itself.
 */
export type Step<T> = Generator<void, T, void>
