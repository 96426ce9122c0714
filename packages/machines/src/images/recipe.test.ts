import assert from 'node:assert/strict'
import { cp, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { it } from 'node:test'
import { hostAptSources } from './apt-sources.ts'
import { digestOf, readRecipe, recipesFolder } from './recipe.ts'

it('every recipe of the repository can be read', async () => {
  for (const name of await readdir(recipesFolder)) {
    const recipe = await readRecipe(name)
    // Every one is a desktop, except the kernel that virtual machines boot and the hosts of tests.
    const others: Record<string, string[]> = {
      'vm-kernel': ['busybox-static'],
      'cluster-member': ['busybox-static'],
      'deployment-host': ['systemd', 'podman'],
    }
    const needed = others[name] ?? ['tigervnc-standalone-server', 'python3']
    for (const program of needed) assert.ok(recipe.packages.includes(program), name)
    assert.deepEqual(recipe.packages, [...recipe.packages].sort(), name)
  }
})

it('the name of an image depends on the contents of its recipe', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'sandglass-test-'))
  try {
    await cp(join(recipesFolder, 'minimal'), join(folder, 'minimal'), { recursive: true })
    const recipe = await readRecipe('minimal', folder)
    const before = await digestOf(recipe, 'bookworm')
    assert.equal(await digestOf(await readRecipe('minimal'), 'bookworm'), before)
    assert.notEqual(await digestOf(recipe, 'trixie'), before)
    await writeFile(join(folder, 'minimal', 'customize'), 'true\n')
    assert.notEqual(await digestOf(recipe, 'bookworm'), before)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})

it('the mirror comes from the apt configuration of the host', async () => {
  const { suite, lines } = await hostAptSources()
  assert.match(suite, /^[a-z]+$/)
  assert.ok(lines.some(line => line.startsWith('deb ') && line.includes(` ${suite} main`)))
})
