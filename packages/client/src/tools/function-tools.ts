import {
  computerActionOf,
  computerUse,
  computerUseConfirmations,
  files,
  jsonSchema,
  mobileActionOf,
  mobileUse,
  parseArguments,
  shell,
  type ToolDefinition,
} from '@sandglass/protocol/tools'
import type { z } from 'zod'
import type { CallOptions } from '../call-options.ts'
import { editFiles } from './edit-files.ts'
import { done, type Outcome, outcomeOf } from './outcome.ts'
import { runCommand } from './run-command.ts'
import type { ToolOptions } from './target.ts'
import type { ToolMachine } from './tool-machine.ts'

/** A tool with a name and a schema of its own, as every API of models accepts. It is one of the tools of our MCP servers. */
export interface FunctionTool {
  readonly name: string
  readonly description: string
  readonly parameters: Record<string, unknown>
  run(input: unknown, call?: CallOptions): Promise<Outcome>
}

/** The tool for the screen of this machine. */
export function screenTool(machine: ToolMachine): FunctionTool {
  return machine.isPhone ? phoneTool(machine) : desktopTool(machine)
}

/** The tools besides the screen. A phone has none. */
export function otherTools(machine: ToolMachine, options: ToolOptions): readonly FunctionTool[] {
  if (machine.isPhone) return []
  const { target } = machine
  return [
    ...(options.shell === false ? [] : [tool(shell, (input, call) => runCommand(target, input, call))]),
    ...(options.files === false ? [] : [tool(files, (input, call) => editFiles(target, input, call))]),
  ]
}

function desktopTool(machine: ToolMachine): FunctionTool {
  return tool(computerUse, async (input, call) => {
    const { picture, pointer } = await machine.act([computerActionOf(input, machine.scale)], call)
    const { width, height } = picture
    const text = `${computerUseConfirmations[input.action]} The picture is ${width}x${height}; the pointer is at [${pointer.x}, ${pointer.y}].`
    return done(text, picture)
  })
}

function phoneTool(machine: ToolMachine): FunctionTool {
  return tool(mobileUse, async (input, call) => {
    const { picture, value } = await machine.act([mobileActionOf(input, machine.scale)], call)
    const result = value === undefined ? '' : ` ${JSON.stringify(value)}`
    return done(`Done: ${input.action}.${result} The picture is ${picture.width}x${picture.height}.`, picture)
  })
}

function tool<Input extends z.ZodType>(
  definition: ToolDefinition<Input>,
  run: (input: z.output<Input>, call?: CallOptions) => Promise<Outcome>,
): FunctionTool {
  return {
    name: definition.name,
    description: definition.description,
    parameters: jsonSchema(definition.input, 'input'),
    run: (input, call) => outcomeOf(async () => run(parseArguments(definition, input), call)),
  }
}
