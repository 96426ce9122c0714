import { sql } from 'kysely'
import { Gauge, type Registry } from 'prom-client'
import type { Database } from '../db/database.ts'
import type { WarmPool } from '../machines/warm-pool.ts'
import type { Catalogue } from '../modules/shapes/catalogue.ts'

const states = ['pending', 'running', 'paused', 'hibernated', 'stopped', 'error'] as const

export interface SandboxMetricsParts {
  readonly db: Database
  readonly nodeId: string
  readonly shapes: Pick<Catalogue, 'all'>
  readonly pool: Pick<WarmPool, 'wanted'>
  readonly registry: Registry
}

/**
 * Reports the sandboxes of this node and its warm pool. What cannot be read because the database is down is left out, so that the
 * other metrics can still be read.
 */
export function reportSandboxes({ db, nodeId, shapes, pool, registry }: SandboxMetricsParts): void {
  const registers = [registry]
  new Gauge({
    name: 'sandglass_sandboxes',
    help: 'Sandboxes of this node by state (pending, running, paused, hibernated, stopped, error) and shape.',
    labelNames: ['state', 'shape'] as const,
    registers,
    async collect() {
      this.reset()
      const counts = await countSandboxes(db, nodeId).catch(() => undefined)
      if (!counts) return
      for (const { name: shape } of shapes.all()) for (const state of states) this.set({ state, shape }, 0)
      for (const { state, shape_name: shape, count } of counts) this.set({ state, shape }, Number(count))
    },
  })
  new Gauge({
    name: 'sandglass_warm_machines_wanted',
    help: 'Machines that the warm pool of this node is to keep ready, by shape and kind: shape, or image for those of images.',
    labelNames: ['shape', 'kind'] as const,
    registers,
    collect() {
      this.reset()
      for (const { shapeName: shape, imageId, warm } of pool.wanted)
        this.inc({ shape, kind: kindOf(imageId) }, warm)
    },
  })
  new Gauge({
    name: 'sandglass_warm_machines_ready',
    help: 'Machines of the warm pool of this node that are booted and that nobody has claimed, by shape and kind: shape, or image.',
    labelNames: ['shape', 'kind'] as const,
    registers,
    async collect() {
      this.reset()
      const counts = await countReady(db, nodeId).catch(() => undefined)
      if (!counts) return
      for (const { shapeName: shape, imageId } of pool.wanted) this.set({ shape, kind: kindOf(imageId) }, 0)
      for (const { kind, shape_name: shape, count } of counts) this.set({ shape, kind }, Number(count))
    },
  })
}

const kindOf = (imageId: string | undefined) => (imageId === undefined ? 'shape' : 'image')

interface Count {
  readonly shape_name: string
  readonly count: string
}

async function countSandboxes(
  db: Database,
  nodeId: string,
): Promise<(Count & { readonly state: (typeof states)[number] })[]> {
  const { rows } = await sql<Count & { state: (typeof states)[number] }>`
    SELECT CASE WHEN hibernated THEN 'hibernated' WHEN paused THEN 'paused' ELSE lower(status) END AS state,
      shape_name, count(*)
    FROM sandboxes WHERE node_id = ${nodeId} GROUP BY 1, 2`.execute(db)
  return rows
}

async function countReady(
  db: Database,
  nodeId: string,
): Promise<(Count & { readonly kind: 'shape' | 'image' })[]> {
  const { rows } = await sql<Count & { kind: 'shape' | 'image' }>`
    SELECT CASE WHEN image_id IS NULL THEN 'shape' ELSE 'image' END AS kind, shape_name, count(*)
    FROM machines WHERE node_id = ${nodeId} AND state = 'ready' GROUP BY 1, 2`.execute(db)
  return rows
}
