import type { Input } from '@sandglass/client'
import type { BuildEvent } from '@sandglass/protocol'
import { useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { readAgain } from '../../app/calls.ts'
import { clientOf } from '../../app/client.ts'
import { useOrgId } from '../../app/session.ts'

type Body = Input<'buildMachineImage'>['body']

/** A build that is followed while it runs. */
export function useBuild() {
  const orgId = useOrgId()
  const queries = useQueryClient()
  const closing = useRef<AbortController>(undefined)
  const [state, setState] = useState<'idle' | 'building' | 'done'>('idle')
  const [log, setLog] = useState('')
  const [error, setError] = useState<unknown>()

  async function start(body: Body): Promise<void> {
    const controller = new AbortController()
    closing.current = controller
    setState('building')
    setLog('')
    setError(undefined)
    try {
      for await (const event of clientOf(orgId).buildMachineImage({ body }, { signal: controller.signal })) {
        if (event.event === 'failed') throw new Error(event.reason)
        setLog(before => before + lineOf(event))
      }
      setState('done')
    } catch (failure) {
      if (!controller.signal.aborted) setError(failure)
      setState('idle')
    }
    await readAgain(queries, ['listMachineImages', 'getLimits'])
  }

  return { state, log, error, start, cancel: () => closing.current?.abort() }
}

function lineOf(event: BuildEvent): string {
  if (event.event === 'output') return event.text
  if (event.event === 'step')
    return `Step ${event.step + 1}${event.cached ? ', from an earlier build' : ''}\n`
  return event.event === 'finished' ? 'The image is ready.\n' : ''
}
