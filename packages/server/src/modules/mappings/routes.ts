import type { MappingNames, MappingTokens } from '@sandglass/mappings'
import * as protocol from '@sandglass/protocol'
import { ApiError } from '@sandglass/protocol'
import { z } from 'zod'
import { heldBy, textOf } from '../../auth/held-credential.ts'
import type { OrganizationPrincipal } from '../../auth/principal.ts'
import type { Database } from '../../db/database.ts'
import type { Api } from '../../http/api.ts'
import { parseInput } from '../../http/input.ts'
import { lockSandbox } from '../../records/sandboxes.ts'
import type { SandboxRouter } from '../sandboxes/sandbox-router.ts'
import { deleteMapping, ensureMapping, type MappingRow, selectMapping, selectMappings } from './store.ts'

/** This bounds the list of mappings, which has no pages. */
const maxMappings = 64

export interface MappingParts {
  readonly names: MappingNames
  readonly tokens: MappingTokens
}

/** Serves the operations on mappings. They do not depend on the state of the sandbox. */
export function serveMappings(
  api: Api,
  router: SandboxRouter,
  db: Database,
  { names, tokens }: MappingParts,
): void {
  // Every credential gets its own token, which ends with it.
  const mappingFor =
    (member: OrganizationPrincipal) =>
    ({ id, target, wait_seconds }: Pick<MappingRow, 'id' | 'target' | 'wait_seconds'>): protocol.Mapping => ({
      domain: names.domainOf(id),
      targetEndpoint: target,
      accessToken: tokens.of(id, textOf(heldBy(member))),
      ...(wait_seconds !== null && { waitSeconds: wait_seconds }),
    })

  api.serve(protocol.listHttpMappings, async ({ member, params }) => {
    const { id } = await router.sandbox(member, params.sandboxId)
    return (await selectMappings(db, id)).map(mappingFor(member))
  })

  api.serve(protocol.createHttpMapping, async ({ member, params, body, change }) => {
    const row = await change(async tx => {
      const sandbox = await lockSandbox(tx, member, params.sandboxId)
      if (!sandbox) throw new ApiError('sandbox.NOT_FOUND')
      const mapping = await ensureMapping(tx, sandbox, body.targetEndpoint, body.waitSeconds)
      if ((await selectMappings(tx, sandbox.id)).length > maxMappings)
        throw new ApiError('mapping.TOO_MANY', {
          message: `A sandbox can have at most ${maxMappings} mappings.`,
        })
      const { id, target, wait_seconds } = mapping
      return { answer: { id, target, wait_seconds }, target: sandbox.id }
    })
    // The token is not stored with the Idempotency-Key but computed again, so a repeated response contains it too.
    return mappingFor(member)(row)
  })

  api.serve(protocol.getHttpMapping, async ({ member, params }) => {
    const { id } = await router.sandbox(member, params.sandboxId)
    const mapping = await selectMapping(db, id, targetOf(params))
    if (!mapping) throw new ApiError('mapping.NOT_FOUND')
    return mappingFor(member)(mapping)
  })

  api.serve(protocol.deleteHttpMapping, ({ member, params, change }) =>
    change(async tx => {
      const sandbox = await lockSandbox(tx, member, params.sandboxId)
      if (!sandbox) throw new ApiError('sandbox.NOT_FOUND')
      const mapping = await selectMapping(tx, sandbox.id, targetOf(params))
      if (!mapping) throw new ApiError('mapping.NOT_FOUND')
      await deleteMapping(tx, sandbox, mapping)
      return { answer: {}, target: sandbox.id }
    }),
  )
}

const Target = z.object({ targetEndpoint: protocol.TargetEndpoint })

function targetOf(params: { readonly targetEndpoint: string }): string {
  return parseInput(Target, params, 'path').targetEndpoint
}
