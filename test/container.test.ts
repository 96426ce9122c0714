import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { debianPackages } from '@sandglass/machines/local'
import { parse } from 'yaml'
import { z } from 'zod'
import { knownSettings, readSettings } from '../packages/server/src/settings.ts'

const root = join(import.meta.dirname, '..')
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

const compose = Compose.parse(parse(await text('compose.yaml')))
const { sandglass } = compose.services
const instructions = instructionsOf(await text('Dockerfile'))
const all = (name: string) => instructions.filter(one => one.name === name).map(({ rest }) => rest)

test('the compose file starts the service with settings that it accepts', () => {
  const known = knownSettings()
  for (const name of Object.keys(sandglass.environment)) assert.ok(known.has(name), name)
  const inImage = [...(all('ENV')[0] ?? '').matchAll(/(\S+)=(\S+)/g)].map(([, name, value]) => [name, value])
  const settings = readSettings({ ...Object.fromEntries(inImage), ...sandglass.environment })
  assert.equal(settings.SANDGLASS_HOST, '0.0.0.0')
  const [network] = compose.networks['sandglass']?.ipam.config ?? []
  assert.deepEqual(settings.SANDGLASS_TRUSTED_PROXIES, [network?.gateway])
  assert.ok(sandglass.volumes.includes(`data:${settings.SANDGLASS_DATA}`))
  assert.deepEqual(all('VOLUME'), [settings.SANDGLASS_DATA])
  assert.deepEqual(sandglass.ports, ['127.0.0.1:4780:4780/tcp', '4780-4782:4780-4782/udp'])
  assert.deepEqual(all('EXPOSE'), ['4780/tcp 4780/udp 4781/udp 4782/udp'])
})

test('the image is built from what is here', () => {
  const names = 'CMD COPY ENTRYPOINT ENV EXPOSE FROM HEALTHCHECK RUN STOPSIGNAL VOLUME WORKDIR'.split(' ')
  for (const { name } of instructions) assert.ok(names.includes(name), name)
  assert.ok(existsSync(join(root, 'deploy', sandglass.build.context, sandglass.build.dockerfile)))
  const scripts = all('RUN').flatMap(line => line.match(/scripts\/[\w.-]+/g) ?? [])
  assert.ok(scripts.length > 0)
  for (const script of scripts) assert.ok(existsSync(join(root, script)), script)
  const [command, program = ''] = z.array(z.string()).parse(JSON.parse(all('ENTRYPOINT')[0] ?? ''))
  assert.equal(command, '/opt/sandglass/node_modules/.bin/node')
  assert.ok(existsSync(join(root, program.replace('/opt/sandglass/', ''))), program)
})

test('the image has every Debian package that machines need', () => {
  const [, list = ''] = /--yes (.*?) &&/.exec(all('RUN')[1] ?? '') ?? []
  const installed = list.split(' ').filter(Boolean)
  assert.deepEqual(installed, installed.toSorted())
  for (const { name } of debianPackages) assert.ok(installed.includes(name), name)
})
