import type { CallableId, EventFrom } from '@sandglass/client'
import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { readAgain } from './calls.ts'
import { clientOf } from './client.ts'
import { useOrgId, usePerson, whoami } from './session.ts'
import { shareStream } from './share-stream.ts'

export type ServiceEvent = EventFrom<'listEvents'>

/** What pages show that may be different after an event, by the beginning of its type. */
const affected: Readonly<Record<string, readonly CallableId[]>> = {
  'sandbox.': ['listSandboxes', 'getSandbox', 'getStats', 'listSandboxEvents', 'listSandboxViewers'],
  'snapshot.': ['listSandboxSnapshots', 'listSandboxEvents'],
  'shell.': ['listSandboxEvents', 'listSandboxShells'],
  'mapping.': ['listHttpMappings', 'listSandboxEvents'],
  'port.': ['listHttpMappings', 'listSandboxEvents'],
  'image.': ['listMachineImages'],
  'volume.': ['listVolumes'],
  'key.': ['listApiKeys'],
  'mcp-server.': ['listMcpServers', 'getDefaultMcpServer'],
  'webhook.': ['listWebhooks', 'getWebhook'],
}

/**
 * A stream begins this long before now. An event has the time at which its change began, and may become visible after the pages have been
 * read. Nothing is lost by an event that comes twice.
 */
const overlapMs = 15_000

const listeners = new Set<(event: ServiceEvent) => void>()

/** Follows the events of the organization while the dashboard is open, and reads again what has changed. */
export function useLiveUpdates(): void {
  const queries = useQueryClient()
  const orgId = useOrgId()
  const { kind } = usePerson()
  // The events of an organization are not for trials.
  const hasEvents = kind === 'apiKey' || kind === 'user'
  useEffect(() => {
    if (!hasEvents) return
    const closing = new AbortController()
    shareStream<News>(`sandglass-events ${orgId}`, closing.signal, {
      receive: news => takeIn(queries, news),
      follow: (send, isNext) => {
        if (isNext) send('missed')
        return follow(queries, orgId, closing.signal, send)
      },
    })
    return () => closing.abort()
  }, [queries, orgId, hasEvents])
}

/** Calls back for every event of the organization, for what is more than reading again. */
export function useServiceEvents(onEvent: (event: ServiceEvent) => void): void {
  useEffect(() => {
    listeners.add(onEvent)
    return () => void listeners.delete(onEvent)
  }, [onEvent])
}

/** An event, or that some may have been missed. */
type News = { readonly event: ServiceEvent } | 'missed'

function takeIn(queries: QueryClient, news: News): void {
  if (news === 'missed') return void queries.invalidateQueries()
  void readAgain(queries, affectedBy(news.event.type))
  for (const listener of listeners) listener(news.event)
}

async function follow(
  queries: QueryClient,
  orgId: string,
  signal: AbortSignal,
  send: (news: News) => void,
): Promise<void> {
  while (!signal.aborted) {
    const since = new Date(Date.now() - overlapMs).toISOString()
    try {
      for await (const event of clientOf(orgId).stream('listEvents', { since }, { signal })) send({ event })
    } catch {
      if (signal.aborted) return
      // The service is away or the session has ended; `whoami` finds out which.
      await queries.invalidateQueries({ queryKey: whoami.queryKey })
      await new Promise(resolve => setTimeout(resolve, 2000))
      send('missed')
    }
  }
}

function affectedBy(type: string): readonly CallableId[] {
  return Object.entries(affected).flatMap(([beginning, ids]) => (type.startsWith(beginning) ? ids : []))
}
