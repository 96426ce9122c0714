import { win32 } from 'node:path'
import type { FileInfo } from '../../../../contract/files.ts'
import { powershellScript } from '../../../../guests/windows-quoting.ts'
import { toInfo } from '../../../local/guest/file-info.ts'
import { malformed } from '../../../local/guest/parse-answer.ts'
import { fileError } from '../../../posix/file-errors.ts'
import type { FileScripts } from './file-scripts.ts'

/** No folder whose list is longer is listed, because the whole list is held in memory. */
const maxListLength = 4 * 1024 * 1024

/** Windows translates its messages, so a script prints the words of Linux for the failures that callers distinguish. */
const frame = (script: string) => `function Fail($words) { [Console]::Error.WriteLine($words); exit 1 }
function Show($item) {
  $kind = if ($item.LinkType) { 'symlink' } elseif ($item.PSIsContainer) { 'directory' } else { 'file' }
  $modified = [int64]([DateTimeOffset]$item.LastWriteTimeUtc).ToUnixTimeMilliseconds()
  $size = if ($item.PSIsContainer) { 0 } else { $item.Length }
  $info = @{ name = $item.Name; kind = $kind; size = $size; modifiedMs = $modified }
  if ($item.LinkType) { $info.target = [string]@($item.Target)[0] }
  $info | ConvertTo-Json -Compress
}
try {
${script}
} catch [System.Management.Automation.ItemNotFoundException], [System.IO.FileNotFoundException], [System.IO.DirectoryNotFoundException] { Fail 'No such file'
} catch [System.UnauthorizedAccessException] { Fail 'Permission denied'
} catch { Fail $_.Exception.Message }`

const script = (text: string, ...args: readonly string[]) => powershellScript(frame(text), ...args)

const makeParent =
  '[void][System.IO.Directory]::CreateDirectory([System.IO.Path]::GetDirectoryName($args[1]))'

/** For Windows 10 and later. None of it was ever run on Windows. */
export const windowsFileScripts: FileScripts = {
  stat: path => script('Show (Get-Item -Force -LiteralPath $args[0])', path),
  list: path =>
    script(
      `if (Test-Path -PathType Leaf -LiteralPath $args[0]) { Fail 'Not a directory' }
Get-ChildItem -Force -LiteralPath $args[0] | ForEach-Object { Show $_ }`,
      path,
    ),
  makeDirectory: path =>
    script(
      `if (Test-Path -PathType Leaf -LiteralPath $args[0]) { Fail 'File exists' }
[void][System.IO.Directory]::CreateDirectory($args[0])`,
      path,
    ),
  remove: path =>
    script(
      'if (Test-Path -LiteralPath $args[0]) { Remove-Item -Recurse -Force -LiteralPath $args[0] }',
      path,
    ),
  move: (from, to, overwrite) =>
    script(
      `if (Test-Path -PathType Container -LiteralPath $args[1]) { Fail 'Is a directory' }
if ((Test-Path -LiteralPath $args[1]) -and $args[2] -eq 'keep') { Fail 'File exists' }
[void](Get-Item -Force -LiteralPath $args[0])
${makeParent}
Move-Item -Force -LiteralPath $args[0] -Destination $args[1]`,
      from,
      to,
      overwrite ? 'replace' : 'keep',
    ),
  copy: (from, to) =>
    script(
      `if (Test-Path -PathType Container -LiteralPath $args[0]) { Fail 'not a regular file' }
${makeParent}
[System.IO.File]::Copy($args[0], $args[1], $true)
Show (Get-Item -Force -LiteralPath $args[1])`,
      from,
      to,
    ),
  beginWrite: path =>
    script(
      `if (Test-Path -PathType Container -LiteralPath $args[1]) { Fail 'Is a directory' }
${makeParent}`,
      '',
      path,
    ),
  finishWrite: (part, path) =>
    script(
      `Move-Item -Force -LiteralPath $args[0] -Destination $args[1]
Show (Get-Item -Force -LiteralPath $args[1])`,
      part,
      path,
    ),
  infoOf: (printed, path) => ({ ...parsed(printed), name: win32.basename(path) }),
  entriesOf(printed, path) {
    if (printed.length > maxListLength)
      throw fileError(`the folder has too many entries to be listed by QEMU's guest agent`, path)
    return printed.split(/\r?\n/).filter(Boolean).map(parsed)
  },
}

function parsed(line: string): FileInfo {
  try {
    return toInfo(JSON.parse(line))
  } catch (cause) {
    throw malformed(cause)
  }
}
