/** What a COPY step of a template asks for. */
export interface Copy {
  readonly archivePath: string
  /** The path or the pattern that the client packed, relative to the root of the archive. */
  readonly source: string
  /** An absolute path. If it ends with a slash, it is a folder. */
  readonly target: string
  /** A user, or a user and a group. */
  readonly owner: string
  /** The mode of the files in octal digits, or '' to keep it. */
  readonly mode: string
}

/** Characters by which the client recognizes a pattern. */
const magic = /[*?[\]{}]/

/**
 * The script of root that unpacks an archive and puts its files in their place: a file to the target or into it, and the content of
 * a folder, or of the folder in which a pattern was looked for, into the target.
 */
export function copyScript({ archivePath, source, target, owner, mode }: Copy): string {
  const parts = source.split('/').filter(part => part !== '' && part !== '.')
  const first = parts.findIndex(part => magic.test(part))
  const from = quoted(['.', ...(first < 0 ? parts : parts.slice(0, first))].join('/'))
  const group = quoted(owner.includes(':') ? owner : `${owner}:`)
  const changeModes = mode === '' ? '' : `find . -type f -exec chmod ${mode} {} +`
  return `set -e
trap 'rm -rf ${archivePath} ${archivePath}.d' EXIT
mkdir ${archivePath}.d
cd ${archivePath}.d
tar --no-same-owner -xpf ${archivePath}
chown -hR ${group} .
${changeModes}
make() {
  top=
  folder=$1
  while [ ! -e "$folder" ]; do top=$folder; folder=$(dirname "$folder"); done
  mkdir -p "$1"
  [ -z "$top" ] || chown -R ${group} "$top"
}
target=${quoted(target)}
if [ -d ${from} ] && [ ! -L ${from} ]; then
  make "$target"
  find ${from} -mindepth 1 -maxdepth 1 -exec cp -a -t "$target" {} +
else
  case "$target" in */) make "$target";; *) make "$(dirname "$target")";; esac
  cp -a ${from} "$target"
fi
`
}

/** Quotes a text for a shell. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
