// The words about a sequential test (table_test in arena/table.c) in Japanese; see views/rate/notes.ts.
import type { Sentence } from '../views/rate/notes';

export const testWords: Sentence[] = [
  [/^Sequential test of '(.+)' against '(.+)', logistic Elo (\S+) against (\S+)$/, '逐次検定：「$1」対「$2」、差が $3 か $4 Elo か'],
  [/^Sequential test of '(.+)' against '(.+)', normalised Elo (\S+) against (\S+)$/, '逐次検定：「$1」対「$2」、差が $3 か $4 正規化 Elo か'],
  [/^LLR (\S+) \((\S+), (\S+)\) after (\d+) games; [^:]*: (.+)$/, '$4 局で対数尤度比（LLR）は $1（判定の境界は $2 と $3）。2局ごとの得点 0・½・1・1½・2 の回数：$5'],
  [/^Accepted: '(.+)' is stronger: (\S+) Elo \((\S+) to (\S+)\)\. .* most (\d+) .* is (\S+)\.$/, '判定：「$1」の方が強い。差は $2 Elo（$3 〜 $4）。本当の差が $6 のとき、この判定を誤るのは 100 回に $5 回までです。'],
  [/^Rejected: no evidence of (\S+) Elo: (\S+) \((\S+) to (\S+)\)\. .* most (\d+) .* is (\S+)\.$/, '判定：$1 Elo 強いとはいえない。差は $2 Elo（$3 〜 $4）。本当の差が $6 のとき、この判定を誤るのは 100 回に $5 回までです。'],
  [/^Undecided: the openings/, '判定できません。開始局面を使い切り、対局者が同じ手順をくり返しています。'],
  [/^Undecided; about (\d+) more/, 'まだ判定できません。あと $1 局ほどかかる見込みです。'],
];
