import * as protocol from '@sandglass/protocol'
import type { AddRoute } from '../control/add-route.ts'
import type { DoorParts } from '../door-parts.ts'
import { beginBuild, requestBuild } from './begin.ts'
import { uploadLink } from './files.ts'
import { aliasOf, listTags, refuseTags } from './names.ts'
import { buildStatus } from './status.ts'

/** Serves the builds of templates, which are our image builds. */
export function serveTemplates(route: AddRoute, parts: DoorParts): void {
  route('POST', ['/v3/templates'], protocol.buildMachineImage, async call => ({
    status: 202,
    body: await requestBuild(call),
  }))
  route('POST', ['/v2/templates/:id/builds/:buildId'], protocol.buildMachineImage, async call => {
    await beginBuild(parts, call)
    return { status: 202 }
  })
  route('GET', ['/templates/:id/builds/:buildId/status'], protocol.listMachineImages, async call => ({
    body: await buildStatus(parts, call),
  }))
  route('GET', ['/templates/:id/files/:hash'], protocol.buildMachineImage, async call => ({
    status: 201,
    body: await uploadLink(parts, call),
  }))
  route('GET', ['/templates/aliases/:id'], protocol.listMachineImages, async call => ({
    body: await aliasOf(call),
  }))
  route('GET', ['/templates/:id/tags'], protocol.listMachineImages, async call => ({
    body: await listTags(call),
  }))
  route('POST', ['/templates/tags'], protocol.buildMachineImage, async () => refuseTags())
  route('DELETE', ['/templates/tags'], protocol.deleteMachineImage, async () => refuseTags())
}
