import type { z } from 'zod'
import type { MachineTool, SandboxTool } from './tool.ts'

/** Defines a tool that works inside the machine. */
export function machineTool<Input extends z.ZodType>(
  tool: Omit<MachineTool<Input>, 'at'>,
): MachineTool<Input> {
  return { ...tool, at: 'machine' }
}

/** Defines a tool that manages the sandbox as a whole. */
export function sandboxTool<Input extends z.ZodType>(
  tool: Omit<SandboxTool<Input>, 'at'>,
): SandboxTool<Input> {
  return { ...tool, at: 'sandbox' }
}
