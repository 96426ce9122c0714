import { Phone, Sandbox } from '@sandglass/client'
import { useMemo } from 'react'
import { clientOf } from '../../app/client.ts'
import { useOrgId } from '../../app/session.ts'

/** A machine to run commands in. */
export type Box = Sandbox | Phone

/** The sandbox as the client library has it, for shells and files. */
export function useBox(sandboxId: string, isPhone: boolean): Box {
  const orgId = useOrgId()
  return useMemo(
    () => (isPhone ? Phone : Sandbox).connect(sandboxId, { client: clientOf(orgId) }),
    [orgId, sandboxId, isPhone],
  )
}
