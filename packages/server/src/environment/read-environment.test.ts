import assert from 'node:assert/strict'
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { SettingError } from '../setting-table.ts'
import { readSettings } from '../settings.ts'
import { readEnvironment } from './read-environment.ts'

const folder = await mkdtemp(join(tmpdir(), 'sandglass-environment-'))
after(() => rm(folder, { recursive: true, force: true }))

async function file(name: string, text: string, mode = 0o600): Promise<string> {
  const path = join(folder, name)
  await writeFile(path, text)
  await chmod(path, mode)
  return path
}

const configured = async (text: string, mode?: number) => ({
  SANDGLASS_CONFIG: await file('sandglass.env', text, mode),
})

function refuses(env: Record<string, string>, message: RegExp): void {
  assert.throws(() => readEnvironment(env), { name: SettingError.name, message })
}

test('every secret can be given as a file, without the line break at its end', async () => {
  const SANDGLASS_OIDC_CLIENT_SECRET_FILE = await file('oidc', 'hunter2 \n')
  const DATABASE_URL_FILE = await file('database', 'postgres://u:p@db/x\r\n', 0o440)
  const env = readEnvironment({ SANDGLASS_OIDC_CLIENT_SECRET_FILE, DATABASE_URL_FILE, HOME: '/root' })
  assert.deepEqual(env, {
    SANDGLASS_OIDC_CLIENT_SECRET: 'hunter2 ',
    DATABASE_URL: 'postgres://u:p@db/x',
    HOME: '/root',
  })
  assert.equal(env['DATABASE_URL'], 'postgres://u:p@db/x')
})

test('the file of the secret key stays a file, because it can be rotated', async () => {
  const SANDGLASS_SECRET_KEY_FILE = await file('key', 'sgm_1\nsgm_2\n')
  const given = { SANDGLASS_SECRET_KEY_FILE }
  assert.deepEqual(readEnvironment(given), given)
})

test('a secret that is given twice, and a file that cannot be used, are refused with the way to fix it', async () => {
  const name = 'SANDGLASS_OIDC_CLIENT_SECRET'
  const fileName = `${name}_FILE`
  const good = await file('good', 'hunter2')
  refuses({ [name]: 'hunter2', [fileName]: good }, new RegExp(`^Set ${name} or ${fileName}, not both\\.$`))
  refuses({ [fileName]: join(folder, 'nowhere') }, /there is no file .*nowhere\. Create it, or correct/)
  await mkdir(join(folder, 'a-folder'))
  refuses({ [fileName]: join(folder, 'a-folder') }, /a-folder is a folder\. Name the file in it/)
  refuses({ [fileName]: await file('empty', '\n') }, /empty is empty\. Write the secret into it/)
  const open = await file('open', 'hunter2', 0o644)
  refuses({ [fileName]: open }, /^Every user of this host can read .*open, which.*Run: chmod o= .*open$/)
  const writable = await file('writable', 'hunter2', 0o602)
  refuses({ [fileName]: writable }, /can change .*writable, which .* Run: chmod o= /)
  refuses({ SANDGLASS_SECRET_KEY_FILE: open }, /can read .*open, which contains a secret/)
  // An empty variable counts as one that is not set.
  assert.equal(readEnvironment({ [name]: '', [fileName]: good })[name], 'hunter2')
  assert.equal(readEnvironment({ [name]: 'hunter2', [fileName]: '' })[name], 'hunter2')
  readSettings(readEnvironment({ [fileName]: '' }))
})

test('a configuration file has the names of the environment, which wins over it', async () => {
  const given = {
    ...(await configured(`
# The address.
SANDGLASS_HOST=0.0.0.0
SANDGLASS_PORT=8080
SANDGLASS_OIDC_SCOPE=openid profile
SANDGLASS_OIDC_NAME='Example # "1" $HOME \\'
SANDGLASS_PUBLIC_URL="https://sandglass.example.org"
SANDGLASS_SHAPES=
OTEL_SERVICE_NAME=desktops
`)),
    SANDGLASS_PORT: '9090',
    SANDGLASS_HOST: '',
  }
  const env = readEnvironment(given)
  assert.equal(env['OTEL_SERVICE_NAME'], 'desktops')
  const settings = readSettings(env)
  assert.equal(settings.SANDGLASS_HOST, '0.0.0.0')
  assert.equal(settings.SANDGLASS_PORT, 9090)
  assert.equal(settings.SANDGLASS_OIDC_SCOPE, 'openid profile')
  assert.equal(settings.SANDGLASS_OIDC_NAME, 'Example # "1" $HOME \\')
  assert.equal(settings.SANDGLASS_PUBLIC_URL, 'https://sandglass.example.org')
  assert.equal(settings.SANDGLASS_SHAPES, undefined)
})

test('a secret of the environment wins over that of the configuration, in either form', async () => {
  const key = 'SANDGLASS_S3_SECRET_ACCESS_KEY'
  const fromFile = await file('from-file', 'of the environment')
  const inConfiguration = await configured(`${key}=of-the-configuration`)
  assert.equal(readEnvironment({ ...inConfiguration, [`${key}_FILE`]: fromFile })[key], 'of the environment')
  const nowhere = await configured(`${key}_FILE=/nowhere`)
  assert.equal(readEnvironment({ ...nowhere, [key]: 'given' })[key], 'given')
  const both = await configured(`${key}=a\n${key}_FILE=/nowhere`)
  refuses(both, /not both/)
})

test('a name that is unknown is refused, and the one that was probably meant is named', async () => {
  const says = (name: string, hint: string) =>
    new RegExp(`: ${name} is not a setting\\.${hint} docs/settings`)
  refuses(await configured('SANDGLASS_PROT=1'), says('SANDGLASS_PROT', ' Do you mean SANDGLASS_PORT\\?'))
  refuses(await configured('PORT=1'), says('PORT', ' Do you mean SANDGLASS_PORT\\?'))
  const database = ' Do you mean DATABASE_URL_FILE\\?'
  refuses(await configured('DATABASE_URL_FLE=/x'), says('DATABASE_URL_FLE', database))
  refuses(await configured('LD_LIBRARY_PATH=/x'), says('LD_LIBRARY_PATH', ''))
  refuses(await configured('SANDGLASS_CONFIG=/x'), /which only the environment can set/)
  assert.throws(() => readSettings({ SANDGLASS_HOSTT: 'x' }), /Do you mean SANDGLASS_HOST\?/)
})

test('a line that programs would read in different ways is refused without showing its value', async () => {
  const values = ['a#hunter2', 'hunter2\\n', '"$hunter2"', "it's hunter2", 'hunter2"', '#hunter2']
  for (const value of values) {
    const env = await configured(`\nSANDGLASS_OIDC_NAME=${value}`)
    assert.throws(
      () => readEnvironment(env),
      ({ message }: Error) => /line 2.*SANDGLASS_OIDC_NAME='…'/.test(message) && !message.includes('hunter2'),
    )
  }
  refuses(await configured('export SANDGLASS_PORT=1'), /line 1 is not a line of the form NAME=value/)
  refuses(await configured('SANDGLASS_PORT = 1'), /line 1 is not a line of the form/)
  refuses(await configured('SANDGLASS_PORT=1\nSANDGLASS_PORT=2'), /line 2 sets SANDGLASS_PORT a second time/)
})

test('a configuration may be readable by all users only if it contains no secret', async () => {
  assert.equal(readEnvironment(await configured('SANDGLASS_PORT=1', 0o644))['SANDGLASS_PORT'], '1')
  refuses(await configured('DATABASE_URL=postgres://u:p@db/x', 0o644), /contains a secret \(DATABASE_URL\)/)
  refuses(await configured('SANDGLASS_PORT=1', 0o646), /can change .*sandglass\.env/)
  refuses({ SANDGLASS_CONFIG: '/nowhere' }, /^SANDGLASS_CONFIG: there is no file \/nowhere/)
})

test('a shell that has read data/env can still run the programs of the service', () => {
  readSettings({ SANDGLASS_URL: 'http://127.0.0.1:1', SANDGLASS_ORG: 'o', SANDGLASS_API_KEY: 'k' })
})
