import type { CallToolResult, Tool } from '@modelcontextprotocol/server'
import type { z } from 'zod'
import type { SandboxRow } from '../../../records/sandboxes.ts'
import type { Inside } from '../../sandboxes/sandbox-router.ts'
import type { Desktop } from '../desktop.ts'

/** Where a call of a tool works: the machine of the server's sandbox, which this process has. */
export interface Workplace {
  readonly inside: Inside
  readonly desktop: Desktop
  readonly signal: AbortSignal
  /** Where a person watches and takes over. */
  readonly viewLink: () => Promise<string>
}

/** What a tool about the sandbox as a whole can do with it. */
export interface SandboxControl {
  restart(): Promise<SandboxRow>
  recreate(): Promise<SandboxRow>
  /** False where there is none. */
  delete(): Promise<boolean>
}

interface Described<Input extends z.ZodType> {
  readonly name: string
  readonly title: string
  /** Written for models. */
  readonly description: string
  readonly input: Input
  readonly output: z.ZodType
  readonly annotations: NonNullable<Tool['annotations']>
}

export interface MachineTool<Input extends z.ZodType = z.ZodType> extends Described<Input> {
  readonly at: 'machine'
  /** Whether its calls are in the audit log; what is seen and clicked is not, over HTTP as well. */
  readonly isRecorded?: true
  run(input: z.output<Input>, workplace: Workplace): Promise<CallToolResult>
}

export interface SandboxTool<Input extends z.ZodType = z.ZodType> extends Described<Input> {
  readonly at: 'sandbox'
  /** Whether only the process that has the machine can do it. */
  readonly isDoneAtMachine?: true
  run(input: z.output<Input>, control: SandboxControl): Promise<CallToolResult>
}

export type AnyTool = MachineTool | SandboxTool

/** Something that the model did wrong or should know of, told in words that help it on. */
export class ToolError extends Error {
  override readonly name = 'ToolError'
}
