#!/usr/bin/env python3
"""A random program in Fortran whose calls say in which lines they stand.

	fortran_random.py SEED fixed|free > program

Every call of MPI has the number of its line as its first argument. Statements
are laid out in every way that the form allows.
"""
import random
import sys

seed, form = int(sys.argv[1]), sys.argv[2]
fixed = form == 'fixed'
rnd = random.Random(seed)
lines = []
labels = 100


def case(word):
    return rnd.choice([word, word.upper(), word.capitalize()])


def comment():
    text = rnd.choice(["it's", 'call mpi_send(1)', '"', '& ; (', ''])
    if fixed and rnd.random() < .5:
        return rnd.choice('cC*') + '     ' + text
    return rnd.choice(['', '  ', '      ' if not fixed else '']) + '!' + text


class Out:
    """Lines being written; a statement is a row of words."""

    def __init__(self):
        self.line, self.empty = None, True

    def begin(self, label=''):
        self.empty = True
        self.line = f'{label:<5} ' if fixed else f'{label} '
        self.line += ' ' * rnd.randrange(4)

    def more(self, word, glue=False):
        """One word; glue: it has to be on the line of the last one."""
        room = 72 if fixed else 120
        split = not glue and not self.empty and rnd.random() < .08
        self.empty = False
        if split or len(self.line) + len(word) + 3 > room:
            if fixed:
                self.flush()
                self.line = '     ' + rnd.choice('&1$') + '  '
            else:
                self.line += ' &' + rnd.choice(['', ' ! ' + "it's"])
                self.flush()
                self.line = rnd.choice(['', '   &', '&', '    '])
            for _ in range(rnd.choice([0, 0, 0, 1])):
                lines.append(comment())
        self.line += word

    def flush(self):
        lines.append(self.line)
        self.line = None

    def number(self):
        return len(lines) + 1


out = Out()
STRINGS = ["'it''s'", "')'", '"!"', "'; call mpi_send(7)'", "'a &'", '"\'"']


def condition():
    parts = [rnd.choice(['t', 'f', '.not. f', "('a' /= ')')", '(i < (9))',
                         "(s /= '''')", 'mod(i, 2) == 0'])]
    while rnd.random() < .3:
        parts += [' .and. ', rnd.choice(['t', '(k < 100)', "'(' < '!'"])]
    return parts


def call():
    out.more(case('call') + ' ')
    line = out.number()
    # the word may have gone to a line of its own
    name = rnd.choice(['mpi_send', 'mpi_recv', 'mpi_barrier', 'pvmfsend',
                       'other'])
    out.more(case(name), glue=fixed)
    out.more(rnd.choice(['(', ' ( ']))
    out.more(str(line))
    while rnd.random() < .4:
        out.more(', ')
        out.more(rnd.choice(STRINGS + ['i', '(k)', 'max(i, (k))']))
    out.more(')')


def simple():
    kind = rnd.randrange(6)
    if kind == 0:
        out.more('s = ' + rnd.choice(STRINGS))
    elif kind == 1:
        out.more('x = ')
        out.more(case('mpi_wtime'))
        out.more(f'({out.number()})', glue=True)
    elif kind == 2:
        out.more('k = mod(k, 50) + 1')
    else:
        call()


def one_line_if():
    out.more(case('if') + ' (')
    for part in condition():
        out.more(part)
    out.more(') ')
    simple()


def statement(depth):
    global labels
    kind = rnd.randrange(14)
    label = ''
    if kind == 0:
        lines.append(comment())
        return
    if kind == 1 and depth < 3:
        out.begin()
        out.more('if (')
        for part in condition():
            out.more(part)
        out.more(') then')
        out.flush()
        body(depth + 1)
        lines.append('      else')
        body(depth + 1)
        lines.append('      end if')
        return
    if kind == 2 and depth == 0:
        lines.append('      do i = 1, 2')
        body(depth + 1)
        lines.append('      end do')
        return
    if kind == 3:
        lines.append(rnd.choice(['#ifdef NEVER', '#ifndef NEVER', '#if 1']))
        body(depth)
        lines.append('#else')
        body(depth)
        lines.append('#endif')
        return
    if kind == 4:
        labels += 1
        label = str(labels)
    out.begin(label)
    if kind in (5, 6, 7):
        one_line_if()
    else:
        simple()
    # no statement begins behind a continuation and ";" in fixed form
    while rnd.random() < .2 and not (fixed and len(out.line) > 38):
        out.more(rnd.choice([';', ' ; ', '; ']), glue=True)
        out.empty = fixed
        rnd.choice([simple, simple, one_line_if])()
    if not fixed and rnd.random() < .2:
        out.line += " ! it's"
    out.flush()


def body(depth):
    for _ in range(rnd.randrange(1, 5)):
        statement(depth)


lines += ['      program p', '      implicit none', '      integer i, k',
          '      logical t, f', '      character(len=30) s',
          '      double precision x, mpi_wtime', '      external mpi_wtime',
          '      i = 0', '      k = 1', '      t = .true.',
          '      f = .false.', "      s = ' '"]
for _ in range(40):
    statement(0)
lines.append('      end')
print('\n'.join(lines))
