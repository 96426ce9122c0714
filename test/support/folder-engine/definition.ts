import { existsSync } from 'node:fs'
import { defineEngine } from '../../../packages/server/src/engines/engine-definition.ts'
import { path } from '../../../packages/server/src/setting-table.ts'
import { FolderEngine } from './folder-engine.ts'

/** A minimal engine whose machines are files in a folder that several services share like a cluster. */
export const folder = defineEngine({
  name: 'folder',
  settings: {
    SANDGLASS_TEST_CLUSTER: { about: 'The folder that is the cluster.', schema: path },
  },
  setUp: ({ SANDGLASS_TEST_CLUSTER: cluster }) => ({
    disabled: cluster === undefined ? 'There is no cluster (SANDGLASS_TEST_CLUSTER is not set).' : undefined,
    isInstalled: cluster !== undefined && existsSync(cluster),
    configure: async () => async () => {
      const engine = new FolderEngine(cluster ?? '')
      return { engine, prepared: Promise.resolve(), close: () => engine.close() }
    },
    doctor: async () => [
      existsSync(cluster ?? '')
        ? { name: 'cluster', result: 'ok', what: `${cluster} is there` }
        : { name: 'cluster', result: 'warn', what: `${cluster} is away`, fix: `mkdir ${cluster}` },
    ],
    findExisting: async () =>
      existsSync(cluster ?? '') ? { engine: new FolderEngine(cluster ?? ''), madeFrom: 'image' } : undefined,
  }),
})
