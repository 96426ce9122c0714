import type { Parsed } from '@sandglass/protocol'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useDeferredValue } from 'react'
import { useCall } from '../../app/calls.ts'
import { serviceClient } from '../../app/client.ts'
import { messageOf } from '../../ui/problems.ts'
import type { Size } from './use-screen.ts'

/** What the parser of one family reads in a text. */
export interface Reading {
  readonly type: string
  readonly about: string
  readonly parsed?: Parsed
  readonly problem?: string
}

/** What every parser reads. Coordinates are those of the screen, if its size is known. */
export function useReadings(text: string, size: Size | undefined) {
  const parsers = useQuery({ ...useCall('listParserTypes'), staleTime: Number.POSITIVE_INFINITY })
  const types = parsers.data ?? []
  const textContent = useDeferredValue(text)
  const { data, error } = useQuery({
    queryKey: ['readings', textContent, size, types.length],
    queryFn: () => Promise.all(types.map(each => read(each, textContent, size))),
    enabled: types.length > 0 && textContent.trim() !== '',
    placeholderData: keepPreviousData,
  })
  return { readings: data ?? [], error: parsers.error ?? error }
}

interface ParserType {
  readonly type: string
  readonly spaces: readonly ('computer' | 'mobile')[]
  readonly about: string
}

async function read(
  { type, spaces, about }: ParserType,
  textContent: string,
  size: Size | undefined,
): Promise<Reading> {
  const body = { textContent, ...(size && { screenWidth: size.width, screenHeight: size.height }) }
  const parse = spaces.includes('computer')
    ? serviceClient.parseModelTextOutput({ type, body })
    : serviceClient.parseMobileUseModelTextOutput({ type, body })
  return parse.then(
    parsed => ({ type, about, parsed }),
    problem => ({ type, about, problem: messageOf(problem) }),
  )
}
