import { Gauge, type Registry } from 'prom-client'
import type { Engines } from '../machines/engines.ts'
import type { NodeCapacity } from '../placement/capacity.ts'

const imageStates = ['waiting', 'building', 'ready', 'failed'] as const

/** Reports which engines of this node work, what they could still create, and the images that they build for shapes. */
export function reportEngines(
  engines: Pick<Engines, 'names' | 'health'>,
  capacity: Pick<NodeCapacity, 'latest'>,
  registry: Registry,
): void {
  const registers = [registry]
  new Gauge({
    name: 'sandglass_engine_ready',
    help: 'Whether an engine of this node can create machines now: 1, or 0.',
    labelNames: ['engine'] as const,
    registers,
    async collect() {
      this.reset()
      for (const engine of engines.names) this.set({ engine }, (await engines.health(engine)).ready ? 1 : 0)
    },
  })
  new Gauge({
    name: 'sandglass_capacity_machines',
    help: 'How many more machines of a shape fit on this node, as of its last heartbeat. Shapes share the room, so these do not add up.',
    labelNames: ['shape', 'engine'] as const,
    registers,
    collect() {
      this.reset()
      for (const { shapeName: shape, engine, free } of capacity.latest.capacity ?? [])
        this.set({ shape, engine }, free)
    },
  })
  new Gauge({
    name: 'sandglass_base_images',
    help: 'Images that this node builds for shapes, by state: waiting, building, ready, or failed.',
    labelNames: ['state'] as const,
    registers,
    collect() {
      this.reset()
      const { builds } = capacity.latest
      for (const state of imageStates)
        this.set({ state }, builds.filter(build => build.state === state).length)
    },
  })
}
