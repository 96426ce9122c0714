import { mobileUse as definition, mobileActionOf } from '@sandglass/protocol/tools'
import { z } from 'zod'
import { pictureResult } from '../desktop.ts'
import { machineTool } from './machine-tool.ts'
import { PictureOutput } from './picture-output.ts'

export const mobileUse = machineTool({
  ...definition,
  output: PictureOutput.extend({
    action: definition.input.shape.action,
    result: z.unknown().optional().meta({ description: 'For listApps: the apps.' }),
  }),
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
  async run(input, { desktop }) {
    const view = await desktop.act(mobileActionOf(input, await desktop.scale()))
    const { width, height } = view.scale.picture
    const resultText = view.result === undefined ? '' : ` ${JSON.stringify(view.result)}`
    const text = `Done: ${input.action}.${resultText} The picture is ${width}x${height}.`
    return pictureResult(view, text, {
      action: input.action,
      ...(view.result !== undefined && { result: view.result }),
    })
  },
})
