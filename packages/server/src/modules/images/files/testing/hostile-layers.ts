import { gzipSync } from 'node:zlib'
import { layerOf, type RawEntry, rawEntry } from './archives.ts'

const MiB = 1024 * 1024

/** A layer that is restored to a folder of a machine, and what comes of it: a refusal, or what the script prints there. */
export interface HostileLayer {
  readonly layer: Buffer
  readonly says?: RegExp
  readonly script?: string
  readonly prints?: string
}

const refused = (says: RegExp, ...entries: RawEntry[]): HostileLayer => ({ layer: layerOf(entries), says })
const restored = (script: string, prints: string, ...entries: RawEntry[]): HostileLayer => ({
  layer: layerOf(entries),
  script,
  prints,
})

const file = (name: string | Buffer, content = 'x', more: Partial<RawEntry> = {}): RawEntry => ({
  name,
  content,
  ...more,
})
const folder = (name: string): RawEntry => ({ name, type: '5' })
const symlink = (name: string, link: string): RawEntry => ({ name, type: '2', link })
const hardLink = (name: string, link: string): RawEntry => ({ name, type: '1', link })

/** The folder beside the one that is restored, which no layer may change. */
export const outside = '/srv/outside'

const paths: Record<string, HostileLayer> = {
  'a path with ..': refused(/path with "\.\."/, file('a/../../outside/escaped')),
  'an absolute path, which is one in the folder': restored(
    'cat etc/passwd',
    'mine',
    file('/etc/passwd', 'mine'),
  ),
  'a file below a symbolic link that leads out': restored(
    'stat -c %F a; cat a/escaped',
    'directory\nx',
    symlink('a', outside),
    file('a/escaped'),
  ),
  'a folder that becomes such a link when files are below it': restored(
    'stat -c %F a a/b; cat a/b/escaped',
    'directory\ndirectory\nx',
    file('a/b/first'),
    symlink('a', outside),
    file('a/b/escaped'),
  ),
  'a link that is replaced by a file': restored('cat a', 'x', symlink('a', `${outside}/kept`), file('a')),
  'a hard link out of the folder': refused(/path with "\.\."/, hardLink('a', '../outside/kept')),
  'a hard link through a symbolic link': refused(
    /link to something/,
    symlink('a', outside),
    hardLink('b', 'a/kept'),
  ),
  'a hard link to a symbolic link, which stays one': restored(
    'readlink b',
    `${outside}/kept`,
    symlink('a', `${outside}/kept`),
    hardLink('b', 'a'),
  ),
  'a path that is too long': refused(/path that is too long/, file(`${'d/'.repeat(2100)}f`)),
  'folders that are nested very deeply': restored(
    'find . -name f | wc -c',
    '2004',
    file(`${'d/'.repeat(1000)}f`),
    file(`${'d/'.repeat(1000)}f`, 'again'),
  ),
  'a name that is too long': refused(/path that is too long/, file('n'.repeat(256))),
}

const kinds: Record<string, HostileLayer> = {
  'devices, which are left out': restored(
    'ls',
    'pipe',
    { name: 'null', type: '3' },
    { name: 'disk', type: '4' },
    { name: 'pipe', type: '6' },
  ),
  'an entry of a type that does not exist': restored('ls', 'a', { name: 'odd', type: 'Z' }, file('a')),
  'names that are not UTF-8 or have every length, and whiteouts, which are names': restored(
    'ls -a | wc -l; cat .wh.gone',
    '6\nx',
    file(Buffer.from([0x6e, 0xff, 0xfe])),
    file('n'.repeat(255)),
    file('.wh.gone'),
    file('.wh..wh..opq'),
  ),
  'setuid files': restored('stat -c %a a', '4755', file('a', 'x', { mode: 0o4755 })),
  'the same file many times': restored(
    'cat a; echo; ls',
    '99\na',
    ...Array.from({ length: 100 }, (_, number) => file('a', String(number))),
  ),
  'an entry that is a file, a folder, a link and a pipe in turn': restored(
    'stat -c %F a',
    'fifo',
    file('a'),
    folder('a'),
    file('a/b'),
    symlink('a', outside),
    { name: 'a', type: '6' },
  ),
}

const sizes: Record<string, HostileLayer> = {
  'a sparse file of a terabyte, which takes no space': restored(
    'stat -c "%s %b" a',
    `${2 ** 40} 0`,
    file('GNUSparseFile.0/a', `1\n${2 ** 40}\n0\n`.padEnd(512, '\0'), {
      pax: {
        'GNU.sparse.major': '1',
        'GNU.sparse.minor': '0',
        'GNU.sparse.name': 'a',
        'GNU.sparse.realsize': String(2 ** 40),
      },
    }),
  ),
  'a sparse file with an endless map': refused(
    /./,
    file('a', `${'9'.repeat(15)}\n1\n`, {
      pax: {
        'GNU.sparse.major': '1',
        'GNU.sparse.minor': '0',
        'GNU.sparse.name': 'a',
        'GNU.sparse.realsize': '1',
      },
    }),
  ),
  'a sparse file with a part at a negative place': refused(
    /could not be restored/,
    file('a', '1\n-4096\n1\n'.padEnd(1024, '\0'), {
      pax: {
        'GNU.sparse.major': '1',
        'GNU.sparse.minor': '0',
        'GNU.sparse.name': 'a',
        'GNU.sparse.realsize': '1',
      },
    }),
  ),
  'a file that claims to be larger than the archive': refused(
    /ends too early/,
    file('a', 'x', { size: MiB }),
  ),
  'a negative size': refused(/./, file('a', '', { pax: { size: '-512' } })),
  'a time that is no time': refused(
    /header that cannot be used/,
    file('a', 'x', { pax: { mtime: 'never' } }),
  ),
  'an owner that no machine has': refused(/./, file('a', 'x', { pax: { uid: '4000000000' } })),
  'a header that claims to have gigabytes': refused(/damaged/, {
    name: 'x',
    type: 'x',
    size: 4 * 1024 * MiB,
  }),
  'a header that has a gigabyte': {
    layer: pieces(rawEntry({ name: 'x', type: 'x', size: 1024 * MiB }), 1024 * MiB),
    says: /too much memory/,
  },
}

const broken: Record<string, HostileLayer> = {
  'no archive at all': { layer: gzipSync('hello'), says: /ends too early|not a compressed tar/ },
  'nothing that is compressed': { layer: Buffer.alloc(2000, 'x'), says: /not a compressed tar archive/ },
  'a layer that was cut off': { layer: layerOf([file('a')]).subarray(0, -20), says: /not a compressed tar/ },
  'an archive without its end': {
    layer: layerOf([file('a')], { isWhole: false }),
    says: /ends too early/,
  },
  'a header in the middle that is damaged': {
    layer: gzipSync(Buffer.concat([rawEntry(file('a')), Buffer.alloc(512, 'x'), rawEntry(file('b'))])),
    says: /archive is damaged/,
  },
}

/** A layer with this content after its beginning, which was compressed in pieces, so that making it takes no time. */
export function pieces(beginning: Buffer, size: number): Buffer {
  const piece = gzipSync(Buffer.alloc(16 * MiB, 'x'), { level: 1 })
  return Buffer.concat([gzipSync(beginning), ...Array<Buffer>(size / (16 * MiB)).fill(piece)])
}

export const hostileLayers: Record<string, HostileLayer> = { ...paths, ...kinds, ...sizes, ...broken }
