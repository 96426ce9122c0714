import { extendSandbox } from '@sandglass/protocol'
import { extend } from '../../../modules/sandboxes/extend.ts'
import type { DoorParts } from '../door-parts.ts'
import type { ControlCall } from './control-call.ts'

/** Lets a sandbox live for some seconds from now. Clients may also ask for less than our own operation allows. */
export async function setLife(
  { api, sandboxes }: DoorParts,
  { request, member }: ControlCall,
  sandboxId: string,
  seconds: number,
): Promise<void> {
  await api.change(extendSandbox, request, tx => extend(tx, sandboxes, member, sandboxId, seconds))
}
