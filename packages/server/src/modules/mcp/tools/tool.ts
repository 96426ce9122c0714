import type { CallToolResult, Tool } from '@modelcontextprotocol/server'
import type { ToolDefinition } from '@sandglass/protocol/tools'
import type { z } from 'zod'
import type { SandboxRow } from '../../../records/sandboxes.ts'
import type { Inside } from '../../sandboxes/sandbox-router.ts'
import type { Desktop } from '../desktop.ts'

/** The machine of the server's sandbox, in this process, on which a tool call works. */
export interface MachineToolContext {
  readonly inside: Inside
  readonly desktop: Desktop
  readonly signal: AbortSignal
  /** Creates a link that lets a person watch and take over. */
  readonly viewLink: () => Promise<string>
}

/** The operations on the sandbox as a whole that tools can use. */
export interface SandboxControl {
  restart(): Promise<SandboxRow>
  recreate(): Promise<SandboxRow>
  /** Returns false if there is no sandbox. */
  delete(): Promise<boolean>
}

interface ServedTool<Input extends z.ZodType> extends ToolDefinition<Input> {
  readonly output: z.ZodType
  readonly annotations: NonNullable<Tool['annotations']>
}

export interface MachineTool<Input extends z.ZodType = z.ZodType> extends ServedTool<Input> {
  readonly at: 'machine'
  /** Whether calls are recorded in the audit log. Screenshots and clicks are not, as over HTTP. */
  readonly isRecorded?: true
  run(input: z.output<Input>, context: MachineToolContext): Promise<CallToolResult>
}

export interface SandboxTool<Input extends z.ZodType = z.ZodType> extends ServedTool<Input> {
  readonly at: 'sandbox'
  /** Whether the tool must run in the process that has the machine. */
  readonly isDoneAtMachine?: true
  run(input: z.output<Input>, control: SandboxControl): Promise<CallToolResult>
}

export type AnyTool = MachineTool | SandboxTool
