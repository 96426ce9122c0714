/** Receives the messages of the embedded server for the log. */
export interface Reports {
  info(message: string): void
  warn(message: string): void
}
