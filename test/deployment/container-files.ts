import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parse } from 'yaml'
import { z } from 'zod'

export const root = join(import.meta.dirname, '../..')
const text = (name: string) => readFile(join(root, 'deploy', name), 'utf8')

/** The keys of the Compose specification that the file uses. Another one is probably a mistake. */
const Compose = z.strictObject({
  services: z.strictObject({
    sandglass: z.strictObject({
      build: z.strictObject({ context: z.string(), dockerfile: z.string() }),
      image: z.string(),
      restart: z.enum(['no', 'always', 'on-failure', 'unless-stopped']),
      stop_grace_period: z.string().regex(/^\d+s$/),
      init: z.boolean(),
      privileged: z.literal(true),
      cgroup: z.enum(['host', 'private']),
      environment: z.record(z.string(), z.string()),
      ports: z.array(z.string().regex(/^([\d.]+:)?[\d-]+:[\d-]+\/(tcp|udp)$/)),
      networks: z.array(z.string()),
      volumes: z.array(z.string()),
      tmpfs: z.array(z.string()),
    }),
  }),
  networks: z.record(
    z.string(),
    z.strictObject({
      ipam: z.strictObject({ config: z.array(z.strictObject({ subnet: z.cidrv4(), gateway: z.ipv4() })) }),
    }),
  ),
  volumes: z.record(z.string(), z.null()),
})

interface Instruction {
  readonly name: string
  readonly rest: string
}

/** The instructions of a Dockerfile, with continued lines joined and comments left out. */
function instructionsOf(dockerfile: string): Instruction[] {
  const lines = dockerfile.split('\n').filter(line => !line.trim().startsWith('#'))
  const joined = lines.join('\n').replaceAll(/\\\n\s*/g, ' ')
  return joined
    .split('\n')
    .filter(line => line.trim() !== '')
    .map(line => {
      const [, name = '', rest = ''] = /^([A-Z]+) +(.*)$/.exec(line) ?? assert.fail(`no instruction: ${line}`)
      return { name, rest }
    })
}

export const compose = Compose.parse(parse(await text('compose.yaml')))
export const { sandglass } = compose.services
export const instructions = instructionsOf(await text('Dockerfile'))
/** What follows each instruction of this name. */
export const all = (name: string) => instructions.filter(one => one.name === name).map(({ rest }) => rest)

/** The packages that the Dockerfile installs from Debian. */
export const installed = (/--yes (.*?) &&/.exec(all('RUN')[1] ?? '')?.[1] ?? '').split(' ').filter(Boolean)
