import {
  computerActionOf,
  computerUseConfirmations,
  computerUse as definition,
} from '@sandglass/protocol/tools'
import { pictureResult } from '../desktop.ts'
import { machineTool } from './machine-tool.ts'
import { PictureOutput } from './picture-output.ts'

export const computerUse = machineTool({
  ...definition,
  output: PictureOutput.extend({ action: definition.input.shape.action }),
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
  async run(input, { desktop }) {
    const view = await desktop.act(computerActionOf(input, await desktop.scale()))
    const { x, y } = view.pointer
    const { width, height } = view.scale.picture
    const text = `${computerUseConfirmations[input.action]} The picture is ${width}x${height}; the pointer is at [${x}, ${y}].`
    return pictureResult(view, text, { action: input.action })
  },
})
