import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildImage } from '@sandglass/machines/images'
import { serverProcess } from '../load.ts'
import { type BenchService, imagesDir, withService } from '../service.ts'

/** Two processes of the service on one database. */
export interface Nodes {
  /** The process that has the machines. */
  readonly owner: BenchService
  /** The URL of the process without machines, which forwards what is sent to it. */
  readonly frontUrl: string
}

/** Runs work with two processes, and removes everything of both afterwards. */
export async function withNodes<T>(work: (nodes: Nodes) => Promise<T>): Promise<T> {
  await buildImage('minimal', { imagesDir, onProgress: console.error })
  return withService({}, async owner => {
    const folder = await mkdtemp(join(tmpdir(), 'sandglass-bench-front-'))
    const database = encodeURIComponent(join(owner.folder, 'postgres'))
    const front = await serverProcess(
      '../packages/server/src/main.ts',
      {
        SANDGLASS_DATA: folder,
        SANDGLASS_PORT: '0',
        SANDGLASS_LIVE_UDP_PORT: 'none',
        SANDGLASS_MACHINES: 'none',
        SANDGLASS_RATE_LIMIT: '1000000',
        SANDGLASS_SHAPES: join(owner.folder, 'shapes.json'),
        SANDGLASS_SECRET_KEY_FILE: join(owner.folder, 'secret-key'),
        DATABASE_URL: `postgres://sandglass@localhost/postgres?host=${database}`,
      },
      printed => printed.includes('Try it:'),
    )
    try {
      const { default: credentials } = await import(join(folder, 'credentials.json'), {
        with: { type: 'json' },
      })
      return await work({ owner, frontUrl: credentials.url })
    } finally {
      await front.stop()
      await rm(folder, { recursive: true, force: true })
    }
  })
}
