import { buildMachineImage } from '@sandglass/protocol'
import type { Api } from '../../../http/api.ts'
import { sendEvents } from '../../../http/event-stream.ts'
import { BuildLog } from './build-log.ts'
import type { ImageBuilds } from './image-builds.ts'

export function serveImageBuilds(api: Api, builds: ImageBuilds): void {
  api.serve(buildMachineImage, async ({ member, request, reply, change, signal, body }) => {
    const begun = await builds.begin({ member, request, reply, change, signal, ...body })
    return begun instanceof BuildLog ? sendEvents(reply, begun) : begun
  })
}
