/** An operation that its caller can cancel. */
export interface Abortable {
  readonly signal?: AbortSignal
}
