/** A failure whose message is for the model and says how to go on. */
export class ToolError extends Error {
  override readonly name = 'ToolError'
}
