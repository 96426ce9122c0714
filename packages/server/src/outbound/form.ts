import { randomUUID } from 'node:crypto'

/** A multipart/form-data body around a file: the bytes before its content, and after it. */
export interface FormFrame {
  readonly contentType: string
  readonly head: Buffer
  readonly tail: Buffer
}

/** Puts the fields first and the file last, as S3 requires. */
export function formFrame(
  fields: Readonly<Record<string, string>>,
  fileField: string,
  fileName: string,
): FormFrame {
  const boundary = `sandglass-${randomUUID()}`
  const parts = Object.entries(fields).map(
    ([name, value]) =>
      `--${boundary}\r\nContent-Disposition: form-data; name="${escaped(name)}"\r\n\r\n${value}\r\n`,
  )
  const file = `--${boundary}\r\nContent-Disposition: form-data; name="${escaped(fileField)}"; filename="${escaped(fileName)}"\r\nContent-Type: application/octet-stream\r\n\r\n`
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    head: Buffer.from(parts.join('') + file),
    tail: Buffer.from(`\r\n--${boundary}--\r\n`),
  }
}

/** Escapes names like browsers do (HTML, multipart/form-data encoding algorithm). */
function escaped(name: string): string {
  return name.replaceAll('\n', '%0A').replaceAll('\r', '%0D').replaceAll('"', '%22')
}
