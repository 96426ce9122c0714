import type { z } from 'zod'

/** A tool as a model is told about it. MCP servers and the client library offer the same ones. */
export interface ToolDefinition<Input extends z.ZodType = z.ZodType> {
  readonly name: string
  readonly title: string
  /** The model reads this to decide when and how to use the tool. */
  readonly description: string
  readonly input: Input
}
