/** The status of an answer, and the code of its problem: `404 run_not_found`. */
export async function outcomeOf(response: Response): Promise<string> {
  const { code } = (await response.json()) as { readonly code?: string }
  return code === undefined ? String(response.status) : `${response.status} ${code}`
}
