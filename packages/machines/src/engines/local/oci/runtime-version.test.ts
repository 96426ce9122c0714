import assert from 'node:assert/strict'
import { it } from 'node:test'
import { parseRuntimeVersion } from './runtime-version.ts'

const escapes = (text: string) => parseRuntimeVersion(text)?.escapes.map(({ ids }) => ids.split(',')[0])

it('lists the known escapes of each runtime version', () => {
  assert.deepEqual(escapes('runc version 1.1.11\ncommit: v1.1.11-0-g4bccb38c\n'), [
    'CVE-2024-21626',
    'CVE-2025-31133',
  ])
  assert.deepEqual(escapes('runc version 1.1.12\n'), ['CVE-2025-31133'])
  assert.deepEqual(escapes('runc version 1.2.7\n'), ['CVE-2025-31133'])
  for (const mended of ['1.2.8', '1.3.3', '1.4.0', '2.0.0'])
    assert.deepEqual(escapes(`runc version ${mended}\n`), [])
})

it('recognises the fixed 1.1.5 of Debian, which kept its version number', () => {
  const debian = (commit: string) => `runc version 1.1.5+ds1\ncommit: ${commit}\nspec: 1.0.2-dev\n`
  assert.deepEqual(escapes(debian('1.1.5+ds1-1+deb12u1')), ['CVE-2025-31133'])
  assert.deepEqual(escapes(debian('1.1.5+ds1-1')), ['CVE-2024-21626', 'CVE-2025-31133'])
})

it('parses runsc, and rejects the output of other programs', () => {
  assert.deepEqual(parseRuntimeVersion('runsc version release-20240401.0\nspec: 1.1.0\n'), {
    name: 'runsc',
    version: '20240401.0.0',
    escapes: [],
  })
  assert.equal(parseRuntimeVersion('runsc version 0.0~20240729.0\nspec: 1.2.0\n')?.version, '20240729.0.0')
  assert.equal(parseRuntimeVersion('bash: runc: command not found'), undefined)
})
