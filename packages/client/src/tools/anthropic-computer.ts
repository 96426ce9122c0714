import { type Point, parseArguments, ToolError } from '@sandglass/protocol/tools'
import { z } from 'zod'
import type { CallOptions } from '../call-options.ts'
import type { AnthropicBlock, AnthropicComputerType, AnthropicToolDefinition } from './anthropic-shapes.ts'
import { done, type Outcome } from './outcome.ts'
import type { ToolMachine } from './tool-machine.ts'
import { areaBetween, zoomInto } from './zoom.ts'

/** The actions of the service. The service reads their arguments, as it reads a model's text. */
const served = [
  'screenshot',
  'left_click',
  'right_click',
  'middle_click',
  'double_click',
  'triple_click',
  'mouse_move',
  'left_click_drag',
  'scroll',
  'key',
  'hold_key',
  'type',
  'wait',
] as const

const Zoom = z.object({ region: z.array(z.number()).length(4, 'must be [x0, y0, x1, y1]') })
const Action = z.object({ action: z.string() })

/** Performs the calls of Anthropic's computer tools. */
export class AnthropicComputer {
  readonly definition: AnthropicToolDefinition
  readonly #machine: ToolMachine
  readonly #actions: readonly string[]

  constructor(machine: ToolMachine, type: AnthropicComputerType) {
    this.#machine = machine
    const { width, height } = machine.scale.picture
    const size = { display_width_px: width, display_height_px: height }
    this.#actions = [...served, 'cursor_position', ...(type === 'computer_20250124' ? [] : ['zoom'])]
    if (type === 'computer_toolset_20260801')
      // Buttons are not held between actions, so that no program is left with a pressed button.
      this.definition = {
        type,
        configs: { left_mouse_down: { enabled: false }, left_mouse_up: { enabled: false } },
      }
    else if (type === 'computer_20251124')
      this.definition = { type, name: 'computer', ...size, enable_zoom: true }
    else this.definition = { type, name: 'computer', ...size }
  }

  async run(block: AnthropicBlock, call: CallOptions): Promise<Outcome> {
    const { input, toolset_name } = block
    const action = toolset_name
      ? block.name
      : parseArguments({ name: 'computer', input: Action }, input).action
    if (action === undefined || !this.#actions.includes(action))
      throw new ToolError(`There is no action ${action}. Use one of: ${this.#actions.join(', ')}.`)
    if (action === 'cursor_position') {
      const { x, y } = (await this.#machine.look(call)).pointer
      return done(`X=${x},Y=${y}`)
    }
    if (action === 'zoom')
      return this.#zoom(parseArguments({ name: action, input: Zoom }, input).region, call)
    const { picture } = await this.#machine.actOn('anthropic', block, call)
    return done('', picture)
  }

  async #zoom([x0 = 0, y0 = 0, x1 = 0, y1 = 0]: readonly number[], call: CallOptions): Promise<Outcome> {
    const { scale } = this.#machine
    const area = areaBetween(this.#corner({ x: x0, y: y0 }), this.#corner({ x: x1, y: y1 }))
    return done('', zoomInto(await this.#machine.lookClosely(call), area, scale.picture))
  }

  /** A corner on the screen. The last corner of the picture is that of the screen. */
  #corner({ x, y }: Point): Point {
    const { screen, picture } = this.#machine.scale
    if (x < 0 || y < 0 || x > picture.width || y > picture.height)
      throw new ToolError(`region has to be within the picture, which is ${picture.width}x${picture.height}.`)
    return {
      x: Math.round((x * screen.width) / picture.width),
      y: Math.round((y * screen.height) / picture.height),
    }
  }
}
