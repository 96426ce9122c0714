import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { debianPackages } from '@sandglass/machines/local'
import { z } from 'zod'
import { knownSettings, readSettings } from '../packages/server/src/settings.ts'
import { all, compose, installed, instructions, root, sandglass } from './deployment/container-files.ts'

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
  assert.deepEqual(installed, installed.toSorted())
  for (const { name } of debianPackages) assert.ok(installed.includes(name), name)
})
