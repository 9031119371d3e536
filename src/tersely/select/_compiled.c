/* The two searches that take most of a selector's time, compiled: `consensus` and the exact knapsack of few sentences.
 *
 * Both give what the Python beside them gives, to the bit (_samples.py with _agreement.py, and _exact.py): the same
 * operations on doubles in the same order, or sums of whole numbers below 2^53, for which the order does not matter.
 * Powers come from the caller, because libraries differ in their last bit. Where no compiler was at hand, the package
 * has no such module and is only slower.
 */
#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include <Python.h>

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef uint64_t Word; /* of a set: sentence i is bit i % 64 of word i / 64 */

#define HAS(set, i) ((set)[(i) >> 6] >> ((i) & 63) & 1)
#define PUT(set, i) ((set)[(i) >> 6] |= (Word)1 << ((i) & 63))
#define DROP(set, i) ((set)[(i) >> 6] &= ~((Word)1 << ((i) & 63)))

enum { MOST = 4, LONGEST = 16 }; /* as in _agreement.py and _forest.py */

/* ---- Arrays that grow, and one allocator whose memory is freed all at once ---- */

typedef struct Block {
    struct Block *next;
} Block;

typedef struct {
    Block *blocks;
    int failed;
} Memory;

static void *allocate(Memory *memory, size_t count, size_t size) {
    Block *block = memory->failed ? NULL : calloc(1, sizeof(Block) + 16 + count * size);
    if (!block) {
        memory->failed = 1;
        return NULL;
    }
    block->next = memory->blocks;
    memory->blocks = block;
    return (char *)block + 16;
}

static void release(Memory *memory) {
    while (memory->blocks) {
        Block *next = memory->blocks->next;
        free(memory->blocks);
        memory->blocks = next;
    }
}

/* Make room for one more item of an array from malloc; return 0 if there is no memory. */
static int grow(void **items, size_t count, size_t *room, size_t size) {
    if (count < *room) return 1;
    size_t more = *room ? 2 * *room : 256;
    void *larger = realloc(*items, more * size);
    if (!larger) return 0;
    *items = larger;
    *room = more;
    return 1;
}

/* ---- Samples: what `coverage` chooses from each row of values, for every room (see Perturbed in _samples.py) ---- */

typedef struct {
    int64_t row, low, high;
    size_t set; /* its number among the sets */
} Range;

typedef struct {
    int64_t term;
    double weight;
} Said; /* a weight to go back to */

typedef struct {
    int64_t count, terms, width; /* sentences, repeated terms, words of a set */
    const int64_t *costs, *parents, *term_ends, *term_ids;
    const double *scale, *alone, *totals; /* scale: [count, LONGEST] */
    const uint8_t *free;
    const Word *included;
    int64_t *holder_ends, *holders; /* which sentences have each term */
    double *weights, *sums, *fresh;
    const double *lefts, *values; /* of the draw, and of the row */
    Word *chosen, *single, *whole; /* whole: with the included sentences */
    Said *said;
    size_t said_count, said_room;
    double *first_adds;    /* of the row, if nothing is taken yet */
    int64_t *first_costs;  /* or -1 if the bundle may not be taken */
    double *adds, *ratios; /* [count + 1, count]: of every step on the way */
    int64_t *bundle_costs;
    Range *ranges;
    size_t range_count, range_room;
    Word *sets;
    size_t set_count, set_room;
    size_t *slots; /* of a hash table: 1 + the number of a set */
    size_t slot_count;
    int64_t row;
    int failed;
} Draws;

static uint64_t hashed(const Word *set, int64_t width) {
    uint64_t hash = 1469598103934665603u;
    for (int64_t i = 0; i < width; i++) {
        hash = (hash ^ set[i]) * 0x9E3779B97F4A7C15u;
        hash ^= hash >> 29;
    }
    return hash;
}

/* Return the number of a set, which is new or known. */
static size_t number_of(Draws *draws, const Word *set) {
    if (2 * (draws->set_count + 1) > draws->slot_count) {
        size_t more = draws->slot_count ? 2 * draws->slot_count : 1024;
        size_t *slots = calloc(more, sizeof(size_t));
        if (!slots) {
            draws->failed = 1;
            return 0;
        }
        for (size_t i = 0; i < draws->set_count; i++) {
            size_t at = hashed(draws->sets + i * draws->width, draws->width) & (more - 1);
            while (slots[at]) at = (at + 1) & (more - 1);
            slots[at] = i + 1;
        }
        free(draws->slots);
        draws->slots = slots;
        draws->slot_count = more;
    }
    size_t bytes = draws->width * sizeof(Word), at = hashed(set, draws->width) & (draws->slot_count - 1);
    for (; draws->slots[at]; at = (at + 1) & (draws->slot_count - 1))
        if (!memcmp(draws->sets + (draws->slots[at] - 1) * draws->width, set, bytes)) return draws->slots[at] - 1;
    if (!grow((void **)&draws->sets, draws->set_count, &draws->set_room, bytes)) {
        draws->failed = 1;
        return 0;
    }
    memcpy(draws->sets + draws->set_count * draws->width, set, bytes);
    draws->slots[at] = ++draws->set_count;
    return draws->set_count - 1;
}

static void add_range(Draws *draws, int64_t low, int64_t high, const Word *set) {
    for (int64_t i = 0; i < draws->width; i++) draws->whole[i] = set[i] | draws->included[i];
    size_t number = number_of(draws, draws->whole);
    if (!grow((void **)&draws->ranges, draws->range_count, &draws->range_room, sizeof(Range))) draws->failed = 1;
    if (draws->failed) return;
    draws->ranges[draws->range_count++] = (Range){draws->row, low, high, number};
}

static void refresh(Draws *draws, int64_t i) {
    draws->fresh[i] = (draws->sums[i] + draws->alone[i]) / draws->totals[i];
}

/* Set the weight of a term, and what depends on it. */
static void weigh(Draws *draws, int64_t term, double weight) {
    double change = weight - draws->weights[term];
    if (change == 0) return;
    draws->weights[term] = weight;
    for (int64_t k = term ? draws->holder_ends[term - 1] : 0; k < draws->holder_ends[term]; k++) {
        draws->sums[draws->holders[k]] += change; /* whole numbers: exact */
        refresh(draws, draws->holders[k]);
    }
}

/* Mark the terms of a sentence as said once more. */
static void say(Draws *draws, int64_t sentence) {
    for (int64_t k = sentence ? draws->term_ends[sentence - 1] : 0; k < draws->term_ends[sentence]; k++) {
        int64_t term = draws->term_ids[k];
        if (!grow((void **)&draws->said, draws->said_count, &draws->said_room, sizeof(Said))) {
            draws->failed = 1;
            return;
        }
        draws->said[draws->said_count++] = (Said){term, draws->weights[term]};
        weigh(draws, term, rint(draws->weights[term] * draws->lefts[term]));
    }
}

static void unsay(Draws *draws, size_t until) {
    while (draws->said_count > until) {
        Said last = draws->said[--draws->said_count];
        weigh(draws, last.term, last.weight);
    }
}

/* Rate the bundle of each sentence that is not chosen; a parent comes before those that need it. */
static void rate(Draws *draws, double *adds, int64_t *costs, double *ratios) {
    int64_t lengths[64], *length = lengths, count = draws->count;
    if (count > 64 && !(length = malloc(count * sizeof(int64_t)))) {
        draws->failed = 1;
        return;
    }
    for (int64_t i = 0; i < count; i++) {
        int64_t parent = draws->parents[i];
        if (HAS(draws->chosen, i)) {
            adds[i] = 0;
            costs[i] = -1;
            continue;
        }
        adds[i] = ceil(draws->values[i] * draws->fresh[i]);
        int64_t cost = draws->costs[i];
        length[i] = 1;
        if (parent >= 0 && !HAS(draws->chosen, parent)) {
            adds[i] += adds[parent];
            cost += costs[parent] < 0 ? -costs[parent] - 2 : costs[parent];
            length[i] += length[parent];
        }
        int may = draws->free[i] && length[i] <= LONGEST;
        costs[i] = may ? cost : -cost - 2; /* below 0: may not be taken, but those that need it go on from there */
        ratios[i] = may ? adds[i] / draws->scale[i * LONGEST + length[i] - 1] : 0;
    }
    if (length != lengths) free(length);
}

/* End a choice, or take single bundles instead where these are worth more. */
static void end(Draws *draws, int64_t low, int64_t high, double worth) {
    for (;;) {
        double most = 0;
        int64_t one = -1;
        for (int64_t i = 0; i < draws->count; i++) {
            int64_t cost = draws->first_costs[i];
            if (cost >= 0 && cost <= high && draws->first_adds[i] > most) {
                most = draws->first_adds[i];
                one = i;
            }
        }
        if (one < 0 || most <= worth) {
            add_range(draws, low, high, draws->chosen);
            return;
        }
        int64_t least = draws->first_costs[one] > low ? draws->first_costs[one] : low;
        memset(draws->single, 0, draws->width * sizeof(Word));
        for (int64_t i = one; i >= 0; i = draws->parents[i]) PUT(draws->single, i);
        add_range(draws, least, high, draws->single);
        if (least <= low || draws->failed) return;
        high = least - 1;
    }
}

/* Take what adds most for its length, again and again. It holds for less room, too, as long as it fits. */
static void take(Draws *draws, int64_t depth, int64_t low, int64_t high, int64_t cost, double worth) {
    int64_t count = draws->count, *costs = draws->bundle_costs + depth * count;
    double *adds = draws->adds + depth * count, *ratios = draws->ratios + depth * count;
    rate(draws, adds, costs, ratios);
    if (!depth) {
        memcpy(draws->first_adds, adds, count * sizeof(double));
        memcpy(draws->first_costs, costs, count * sizeof(int64_t));
    }
    while (!draws->failed) {
        double most = 0;
        int64_t best = -1;
        for (int64_t i = 0; i < count; i++)
            if (costs[i] >= 0 && costs[i] <= high - cost && ratios[i] > most) {
                most = ratios[i];
                best = i;
            }
        if (best < 0) {
            end(draws, low, high, worth);
            return;
        }
        int64_t then = cost + costs[best];
        size_t said = draws->said_count;
        int64_t taken[LONGEST], bundle = 0;
        for (int64_t i = best; i >= 0 && !HAS(draws->chosen, i); i = draws->parents[i]) {
            say(draws, i);
            taken[bundle++] = i;
        }
        for (int64_t k = 0; k < bundle; k++) PUT(draws->chosen, taken[k]);
        take(draws, depth + 1, low > then ? low : then, high, then, worth + adds[best]);
        for (int64_t k = 0; k < bundle; k++) DROP(draws->chosen, taken[k]);
        unsay(draws, said);
        if (then <= low) return;
        high = then - 1;
    }
}

/* Which sentences have each term, from the terms of each sentence. */
static void invert(Draws *draws) {
    int64_t total = draws->count ? draws->term_ends[draws->count - 1] : 0;
    for (int64_t k = 0; k < total; k++) draws->holder_ends[draws->term_ids[k]]++;
    for (int64_t t = 1; t < draws->terms; t++) draws->holder_ends[t] += draws->holder_ends[t - 1];
    for (int64_t i = draws->count - 1, k = total; i >= 0; i--)
        while (k > (i ? draws->term_ends[i - 1] : 0)) draws->holders[--draws->holder_ends[draws->term_ids[--k]]] = i;
    /* The ends have become the beginnings. */
    for (int64_t t = 0; t + 1 < draws->terms; t++) draws->holder_ends[t] = draws->holder_ends[t + 1];
    if (draws->terms) draws->holder_ends[draws->terms - 1] = total;
}

/* ---- Agreement: the choice that shares most with the samples (see Expected in _agreement.py) ---- */

typedef struct {
    int64_t count, width, samples;
    const int64_t *costs, *parents;
    const uint8_t *free;
    const Word *included;
    int64_t *word_ends, *words, *times; /* the words that several sentences say, and how often each does */
    int64_t *lengths, *own;             /* of all words, and of those that no other sentence says */
    int64_t vocabulary;
    double *more;    /* [vocabulary, MOST]: how many samples say a word more than so often */
    double *shared;  /* [vocabulary, MOST + 1]: with how many samples a word is shared, if said so often */
    double *owned;   /* [count] */
    double length;   /* of all samples */
    int64_t *said;   /* how often the choice says each word */
    const double *fill;
    Word *kept, *better;
} Agreement;

static double shared_times(const Agreement *agreement, int64_t word, int64_t times) {
    return agreement->shared[word * (MOST + 1) + (times < MOST ? times : MOST)];
}

/* Return how much more would be shared if a sentence were said. */
static double gain_if(const Agreement *agreement, int64_t sentence) {
    double gain = agreement->owned[sentence];
    int64_t end = agreement->word_ends[sentence];
    for (int64_t k = sentence ? agreement->word_ends[sentence - 1] : 0; k < end; k++) {
        int64_t word = agreement->words[k], times = agreement->said[word];
        if (times < MOST) gain += shared_times(agreement, word, times + agreement->times[k]) - shared_times(agreement, word, times);
    }
    return gain;
}

/* Say a sentence and return how much more is shared. */
static double gain_of(Agreement *agreement, int64_t sentence) {
    double gain = gain_if(agreement, sentence);
    int64_t end = agreement->word_ends[sentence];
    for (int64_t k = sentence ? agreement->word_ends[sentence - 1] : 0; k < end; k++)
        agreement->said[agreement->words[k]] += agreement->times[k];
    return gain;
}

static void take_back(Agreement *agreement, int64_t sentence) {
    int64_t end = agreement->word_ends[sentence];
    for (int64_t k = sentence ? agreement->word_ends[sentence - 1] : 0; k < end; k++)
        agreement->said[agreement->words[k]] -= agreement->times[k];
}

/* Count a sample, or with -1 take it back. */
static void count_sample(Agreement *agreement, const Word *set, double often) {
    for (int64_t i = 0; i < agreement->count; i++) {
        if (!HAS(set, i)) continue;
        agreement->owned[i] += often * (double)agreement->own[i];
        agreement->length += often * (double)agreement->lengths[i];
        for (int64_t k = i ? agreement->word_ends[i - 1] : 0; k < agreement->word_ends[i]; k++) {
            int64_t word = agreement->words[k], now = agreement->said[word], then = now + agreement->times[k];
            for (int64_t c = now; c < then && c < MOST; c++) agreement->more[word * MOST + c] += often;
            agreement->said[word] = then;
        }
    }
    for (int64_t i = 0; i < agreement->count; i++)
        if (HAS(set, i)) take_back(agreement, i);
}

/* Learn how often the samples say each word; of those before, if any, most are the same. */
static void learn(Agreement *agreement, const Word *sets, const size_t *before, const size_t *which) {
    int changed = 0;
    for (int64_t s = 0; s < agreement->samples; s++) {
        if (before && before[s] == which[s]) continue;
        if (before) count_sample(agreement, sets + before[s] * agreement->width, -1);
        count_sample(agreement, sets + which[s] * agreement->width, 1);
        changed = 1;
    }
    for (int64_t w = 0; changed && w < agreement->vocabulary; w++)
        for (int64_t c = 0; c < MOST; c++)
            agreement->shared[w * (MOST + 1) + c + 1] = agreement->shared[w * (MOST + 1) + c] + agreement->more[w * MOST + c];
}

static double rated(const Agreement *agreement, double shared, int64_t words, int64_t cost, int64_t count, const double *few) {
    double all = (double)agreement->samples * (double)words + agreement->length;
    return shared / (all > 1 ? all : 1) * agreement->fill[cost] * few[count];
}

/* Leave `out`, those that need it, and those that only they needed; all of it stays if out is -1. */
static void leave(const Agreement *agreement, const Word *inside, int64_t out, Word *kept) {
    size_t bytes = agreement->width * sizeof(Word);
    if (out < 0) {
        memcpy(kept, inside, bytes);
        return;
    }
    memcpy(kept, agreement->included, bytes);
    for (int64_t i = 0; i < agreement->count; i++) {
        if (!HAS(inside, i) || !agreement->free[i]) continue;
        int64_t j = i;
        while (j >= 0 && j != out) j = agreement->parents[j];
        if (j != out)
            for (j = i; j >= 0 && !HAS(kept, j); j = agreement->parents[j]) PUT(kept, j);
    }
}

/* Return how well a choice agrees, and find the change that helps most: no or one removal, no or one addition. */
static double step(Agreement *agreement, const Word *inside, int64_t room, const double *few, double *top) {
    double now = -1;
    int64_t count = agreement->count;
    *top = -2;
    for (int64_t out = -1; out < count; out++) {
        if (out >= 0 && (!HAS(inside, out) || HAS(agreement->included, out))) continue;
        leave(agreement, inside, out, agreement->kept);
        double shared = 0;
        int64_t words = 0, cost = 0, number = 0;
        for (int64_t i = 0; i < count; i++)
            if (HAS(agreement->kept, i)) {
                shared += gain_of(agreement, i);
                words += agreement->lengths[i];
                cost += agreement->costs[i];
                number++;
            }
        int64_t added = -2;
        for (int64_t i = -1; i < count; i++) {
            double with_it = -1;
            if (i < 0) {
                if (cost <= room) with_it = rated(agreement, shared, words, cost, number, few);
                if (out < 0) now = with_it;
            } else if (agreement->free[i] && !HAS(inside, i)) {
                int64_t more_words = words, more_cost = cost, more = number;
                for (int64_t j = i; j >= 0 && !HAS(agreement->kept, j); j = agreement->parents[j]) {
                    more_words += agreement->lengths[j];
                    more_cost += agreement->costs[j];
                    more++;
                }
                if (more_cost <= room) {
                    double gain = 0;
                    int64_t last = i;
                    for (int64_t rest = more - number; rest > 1; rest--, last = agreement->parents[last])
                        gain += gain_of(agreement, last);
                    gain += gain_if(agreement, last);
                    for (int64_t j = i; j != last; j = agreement->parents[j]) take_back(agreement, j);
                    with_it = rated(agreement, shared + gain, more_words, more_cost, more, few);
                }
            }
            if (with_it > *top) {
                *top = with_it;
                added = i;
            }
        }
        if (added > -2) {
            memcpy(agreement->better, agreement->kept, agreement->width * sizeof(Word));
            for (int64_t j = added; j >= 0; j = agreement->parents[j]) PUT(agreement->better, j);
        }
        for (int64_t i = 0; i < count; i++)
            if (HAS(agreement->kept, i)) take_back(agreement, i);
    }
    return now;
}

/* Climb from the first samples until nothing helps; `seen` has room for them, and grows. Return 0 without memory. */
static int climb(Agreement *agreement, const Word *sets, const size_t *which, int64_t starts, int64_t room,
                 const double *few, Word **seen, size_t *seen_room, Word *best) {
    int64_t width = agreement->width;
    size_t bytes = width * sizeof(Word), known = 0, next = 0;
    double highest = -1;
    memcpy(best, sets + which[0] * width, bytes);
    for (int64_t s = 0; s < starts && s < agreement->samples; s++) {
        int64_t same = 0;
        while (which[same] != which[s]) same++;
        if (same < s) continue;
        if (!grow((void **)seen, known, seen_room, bytes)) return 0;
        memcpy(*seen + known++ * width, sets + which[s] * width, bytes);
    }
    /* What is not done yet stands in order: the starts, then what became of each, round by round. */
    for (; next < known; next++) {
        double top, now = step(agreement, *seen + next * width, room, few, &top);
        if (!(top > now * (1 + 1e-12))) {
            if (now > highest) {
                highest = now;
                memcpy(best, *seen + next * width, bytes);
            }
            continue;
        }
        size_t same = 0;
        while (same < known && memcmp(*seen + same * width, agreement->better, bytes)) same++;
        if (same < known) continue; /* another climb was here, too */
        if (!grow((void **)seen, known, seen_room, bytes)) return 0;
        memcpy(*seen + known++ * width, agreement->better, bytes);
    }
    return 1;
}

/* Count the words of sentences: [sentence, word], one for each time that it is said. */
static void count_words(Agreement *agreement, Memory *memory, const int64_t *sentence, const int64_t *word, int64_t total) {
    int64_t size = agreement->vocabulary, count = agreement->count;
    int64_t *speakers = allocate(memory, size + 1, 8), *last = allocate(memory, size + 1, 8);
    int64_t *place = allocate(memory, size + 1, 8), *pairs = allocate(memory, total + 1, 8);
    agreement->words = allocate(memory, total + 1, 8);
    agreement->times = allocate(memory, total + 1, 8);
    agreement->word_ends = allocate(memory, count + 1, 8);
    agreement->lengths = allocate(memory, count + 1, 8);
    agreement->own = allocate(memory, count + 1, 8);
    if (memory->failed) return;
    int64_t found = 0;
    for (int64_t k = 0; k < total; k++) {
        int64_t i = sentence[k], w = word[k];
        agreement->lengths[i]++;
        if (last[w] != i + 1) {
            last[w] = i + 1;
            speakers[w]++;
            place[w] = found;
            agreement->words[found] = w;
            agreement->times[found] = 0;
            pairs[found++] = i;
        }
        agreement->times[place[w]]++;
    }
    int64_t kept = 0;
    for (int64_t k = 0; k < found; k++) {
        int64_t w = agreement->words[k], times = agreement->times[k];
        if (speakers[w] > 1) {
            agreement->words[kept] = w;
            agreement->times[kept++] = times;
            agreement->word_ends[pairs[k]]++;
        } else {
            agreement->own[pairs[k]] += times < MOST ? times : MOST;
        }
    }
    for (int64_t i = 1; i < count; i++) agreement->word_ends[i] += agreement->word_ends[i - 1];
}

/* ---- consensus(...) ---- */

static int64_t ints(const Py_buffer *view) { return view->len / 8; }

static int compare_ranges(const void *left, const void *right) {
    const Range *a = left, *b = right;
    if (a->row != b->row) return a->row < b->row ? -1 : 1;
    return a->low < b->low ? -1 : a->low > b->low;
}

/* Whether numbers are from `low` to `high`. */
static int within(const int64_t *numbers, int64_t count, int64_t low, int64_t high) {
    for (int64_t i = 0; i < count; i++)
        if (numbers[i] < low || numbers[i] > high) return 0;
    return 1;
}

static int ascending(const int64_t *ends, int64_t count, int64_t last) {
    for (int64_t i = 0; i < count; i++)
        if (ends[i] < (i ? ends[i - 1] : 0) || ends[i] > last) return 0;
    return !count || ends[count - 1] == last;
}

static void spread(const Word *set, int64_t count, char *row) {
    for (int64_t i = 0; i < count; i++) row[i] = (char)HAS(set, i);
}

enum { COSTS, FREE, PARENTS, INCLUDED, SCALE, ENDS, TERMS, WEIGHTS, ALONE, TOTALS, LEFTS, VALUES, LIMITS, JOBS, FEW,
       FILL, SPEAKERS, WORDS, BUFFERS };

static PyObject *consensus(PyObject *self, PyObject *arguments) {
    (void)self;
    Py_buffer views[BUFFERS];
    long long samples, starts, vocabulary;
    memset(views, 0, sizeof views);
    if (!PyArg_ParseTuple(arguments, "y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*y*LLL", &views[0], &views[1], &views[2], &views[3],
                          &views[4], &views[5], &views[6], &views[7], &views[8], &views[9], &views[10], &views[11],
                          &views[12], &views[13], &views[14], &views[15], &views[16], &views[17], &samples, &starts,
                          &vocabulary))
        return NULL;
    PyObject *found = NULL;
    Memory memory = {NULL, 0};
    Draws draws;
    Agreement agreement;
    Word *seen = NULL;
    size_t seen_room = 0;
    memset(&draws, 0, sizeof draws);
    memset(&agreement, 0, sizeof agreement);
    const int64_t *limits = views[LIMITS].buf, *jobs = views[JOBS].buf;
    int64_t count = ints(&views[COSTS]), terms = ints(&views[WEIGHTS]), width = count / 64 + 1;
    int64_t draw_count = ints(&views[LIMITS]) / 3, job_count = ints(&views[JOBS]) / 3, rows = 0, total = ints(&views[WORDS]);
    int64_t few_width = job_count ? ints(&views[FEW]) / job_count : 0;
    for (int64_t d = 0; d < draw_count; d++) rows += limits[3 * d];
    const int64_t *costs = views[COSTS].buf, *parents = views[PARENTS].buf;
    int sane = views[FREE].len == count && ints(&views[PARENTS]) == count && views[INCLUDED].len == count &&
               ints(&views[SCALE]) == count * LONGEST && ints(&views[ENDS]) == count && ints(&views[ALONE]) == count &&
               ints(&views[TOTALS]) == count && ints(&views[LEFTS]) == draw_count * terms &&
               ints(&views[VALUES]) == rows * count && ints(&views[SPEAKERS]) == total && samples > 0 && starts > 0 &&
               vocabulary >= 0 && ascending(views[ENDS].buf, count, ints(&views[TERMS])) &&
               within(views[TERMS].buf, ints(&views[TERMS]), 0, terms - 1) &&
               within(views[SPEAKERS].buf, total, 0, count - 1) && within(views[WORDS].buf, total, 0, vocabulary - 1) &&
               within(costs, count, 0, INT64_MAX / 4 / (count + 1));
    for (int64_t i = 0; sane && i < count; i++) sane = parents[i] >= -1 && parents[i] < i;
    for (int64_t j = 0; sane && j < job_count; j++) /* whatever fits has a place in the tables of powers */
        sane = jobs[3 * j] >= 0 && jobs[3 * j] < draw_count && limits[3 * jobs[3 * j]] == samples &&
               jobs[3 * j + 2] < ints(&views[FILL]) && few_width > count;
    if (!sane) {
        PyErr_SetString(PyExc_ValueError, "the arrays do not belong together");
        goto done;
    }
    Word *included = allocate(&memory, width, sizeof(Word));
    draws.holder_ends = allocate(&memory, terms + 1, 8);
    draws.holders = allocate(&memory, ints(&views[TERMS]) + 1, 8);
    draws.weights = allocate(&memory, terms + 1, 8);
    draws.sums = allocate(&memory, count + 1, 8);
    draws.fresh = allocate(&memory, count + 1, 8);
    draws.chosen = allocate(&memory, width, sizeof(Word));
    draws.single = allocate(&memory, width, sizeof(Word));
    draws.whole = allocate(&memory, width, sizeof(Word));
    draws.first_adds = allocate(&memory, count + 1, 8);
    draws.first_costs = allocate(&memory, count + 1, 8);
    draws.adds = allocate(&memory, (count + 1) * (count + 1), 8);
    draws.ratios = allocate(&memory, (count + 1) * (count + 1), 8);
    draws.bundle_costs = allocate(&memory, (count + 1) * (count + 1), 8);
    int64_t *begins = allocate(&memory, rows + 2, 8), *of_draw = allocate(&memory, draw_count + 1, 8);
    size_t *which = allocate(&memory, 2 * samples, sizeof(size_t)), *before = which ? which + samples : NULL;
    agreement.vocabulary = vocabulary;
    agreement.count = draws.count = count;
    agreement.width = draws.width = width;
    agreement.shared = allocate(&memory, (vocabulary + 1) * (MOST + 1), 8);
    agreement.more = allocate(&memory, (vocabulary + 1) * MOST, 8);
    agreement.said = allocate(&memory, vocabulary + 1, 8);
    agreement.owned = allocate(&memory, count + 1, 8);
    agreement.kept = allocate(&memory, width, sizeof(Word));
    agreement.better = allocate(&memory, width, sizeof(Word));
    Word *best = allocate(&memory, width, sizeof(Word));
    if (!memory.failed) count_words(&agreement, &memory, views[SPEAKERS].buf, views[WORDS].buf, total);
    if (memory.failed) goto no_memory;
    for (int64_t i = 0; i < count; i++)
        if (((const uint8_t *)views[INCLUDED].buf)[i]) PUT(included, i);
    agreement.costs = draws.costs = costs;
    agreement.parents = draws.parents = parents;
    agreement.free = draws.free = views[FREE].buf;
    agreement.included = draws.included = included;
    draws.terms = terms;
    draws.term_ends = views[ENDS].buf;
    draws.term_ids = views[TERMS].buf;
    draws.scale = views[SCALE].buf;
    draws.alone = views[ALONE].buf;
    draws.totals = views[TOTALS].buf;
    agreement.samples = samples;
    agreement.fill = views[FILL].buf;
    invert(&draws);

    for (int64_t d = 0; d < draw_count; d++) {
        of_draw[d] = draws.row;
        draws.lefts = (const double *)views[LEFTS].buf + d * terms;
        for (int64_t t = 0; t < terms; t++) draws.weights[t] = ((const double *)views[WEIGHTS].buf)[t];
        for (int64_t i = 0; i < count; i++) {
            draws.sums[i] = 0;
            for (int64_t k = i ? draws.term_ends[i - 1] : 0; k < draws.term_ends[i]; k++)
                draws.sums[i] += draws.weights[draws.term_ids[k]];
            refresh(&draws, i);
        }
        for (int64_t i = 0; i < count; i++)
            if (HAS(included, i)) say(&draws, i);
        for (int64_t r = 0; r < limits[3 * d]; r++, draws.row++) {
            draws.values = (const double *)views[VALUES].buf + draws.row * count;
            take(&draws, 0, limits[3 * d + 1], limits[3 * d + 2], 0, 0);
            if (draws.failed) goto no_memory;
        }
        draws.said_count = 0;
    }
    qsort(draws.ranges, draws.range_count, sizeof(Range), compare_ranges);
    for (size_t k = 0; k < draws.range_count; k++) begins[draws.ranges[k].row + 1]++;
    for (int64_t r = 0; r < rows; r++) begins[r + 1] += begins[r];

    PyObject *chosen = PyBytes_FromStringAndSize(NULL, job_count * count);
    if (!chosen) goto done;
    char *row = PyBytes_AsString(chosen);
    for (int64_t j = 0; j < job_count; j++) {
        const double *few = (const double *)views[FEW].buf + j * few_width;
        for (int64_t s = 0; s < samples; s++) {
            int64_t r = of_draw[jobs[3 * j]] + s, at = begins[r];
            while (at + 1 < begins[r + 1] && draws.ranges[at + 1].low <= jobs[3 * j + 1]) at++;
            which[s] = draws.ranges[at].set;
        }
        learn(&agreement, draws.sets, j ? before : NULL, which);
        memcpy(before, which, samples * sizeof(size_t));
        if (!climb(&agreement, draws.sets, which, starts, jobs[3 * j + 2], few, &seen, &seen_room, best)) {
            Py_DECREF(chosen);
            goto no_memory;
        }
        spread(best, count, row + j * count);
    }
    /* What was drawn for nothing else than to be chosen: of each draw without a job, the ranges. */
    int64_t last = job_count ? jobs[3 * (job_count - 1)] + 1 : 0, rest = 0, first = last < draw_count ? begins[of_draw[last]] : 0;
    if (last < draw_count) rest = (int64_t)draws.range_count - first;
    PyObject *places = PyBytes_FromStringAndSize(NULL, rest * 16), *sets = PyBytes_FromStringAndSize(NULL, rest * count);
    if (places && sets) {
        int64_t *place = (int64_t *)PyBytes_AsString(places);
        for (int64_t k = 0, d = last; k < rest; k++) {
            const Range *range = draws.ranges + first + k;
            while (d + 1 < draw_count && of_draw[d + 1] <= range->row) d++;
            place[2 * k] = d - last;
            place[2 * k + 1] = range->low;
            spread(draws.sets + range->set * width, count, PyBytes_AsString(sets) + k * count);
        }
        found = PyTuple_Pack(3, chosen, places, sets);
    }
    Py_XDECREF(chosen);
    Py_XDECREF(places);
    Py_XDECREF(sets);
    goto done;
no_memory:
    PyErr_NoMemory();
done:
    free(draws.ranges);
    free(draws.sets);
    free(draws.slots);
    free(draws.said);
    free(seen);
    release(&memory);
    for (int k = 0; k < BUFFERS; k++) PyBuffer_Release(&views[k]);
    return found;
}

/* ---- knapsack(...): the exact 0-1 knapsack of few items (see `search` in _exact.py) ---- */

enum { FEW_ITEMS = 256, BITS = FEW_ITEMS / 64 };

/* A set that differs from the filling: its worth beyond the filling's, and its items, of which earlier ones are higher
 * bits. The greatest is the best. */
typedef struct {
    int64_t worth;
    Word items[BITS];
} Pack;

typedef struct {
    double loss;
    int64_t freed;
    int64_t gain;
    int place;
} Change;

typedef struct {
    int first;
    double lost;
    int64_t free;
    Pack pack;
} Node;

typedef struct {
    double density;
    int item;
} Dense;

static int by_density(const void *left, const void *right) {
    const Dense *a = left, *b = right;
    if (a->density != b->density) return a->density > b->density ? -1 : 1;
    return a->item - b->item;
}

static int by_loss(const void *left, const void *right) {
    const Change *a = left, *b = right;
    if (a->loss != b->loss) return a->loss < b->loss ? -1 : 1;
    return a->place - b->place;
}

static int is_greater(const Pack *a, const Pack *b) {
    if (a->worth != b->worth) return a->worth > b->worth;
    for (int k = 0; k < BITS; k++)
        if (a->items[k] != b->items[k]) return a->items[k] > b->items[k];
    return 0;
}

static Word bit_of(int place) { return (Word)1 << (63 - (place & 63)); }

/* Go through the changes of the filling, small losses first. Return 1, 0 after too many nodes, or -1 without memory. */
static int best_pack(const Change *changes, int count, int64_t room, double bound, int64_t limit, const Pack *filling, Pack *best) {
    Node *nodes = malloc(64 * sizeof(Node));
    size_t known = 1, space = 64;
    int answer = nodes ? 1 : -1;
    if (is_greater(filling, best)) *best = *filling;
    double slack = bound - (double)best->worth;
    if (nodes) nodes[0] = (Node){0, 0, room, *filling};
    for (size_t at = 0; answer > 0 && at < known; at++) {
        Node node = nodes[at];
        for (int i = node.first; i < count; i++) {
            double loss = changes[i].loss + node.lost;
            if (loss > slack) break;
            int64_t left = node.free + changes[i].freed;
            Pack now = node.pack;
            now.worth += changes[i].gain;
            now.items[changes[i].place >> 6] ^= bit_of(changes[i].place);
            if (left >= 0 && is_greater(&now, best)) {
                *best = now;
                slack = bound - (double)best->worth;
            }
            if (i + 1 < count && loss + changes[i + 1].loss <= slack) {
                if (!grow((void **)&nodes, known, &space, sizeof(Node))) {
                    answer = -1;
                    break;
                }
                nodes[known++] = (Node){i + 1, loss, left, now};
            }
        }
        if ((int64_t)known > limit) answer = 0;
    }
    free(nodes);
    return answer;
}

/* Scale to whole numbers, as `whole` in _problem.py does. */
static void make_whole(const double *numbers, int count, double *scaled) {
    int bits = 53, exponent;
    double largest = 0;
    for (int rest = count - 1; rest > 0; rest >>= 1) bits--;
    for (int i = 0; i < count; i++)
        if (numbers[i] > largest) largest = numbers[i];
    frexp(largest, &exponent);
    for (int i = 0; i < count; i++) {
        double number = rint(ldexp(numbers[i] > 0 ? numbers[i] : 0, (bits < 40 ? bits : 40) - exponent));
        scaled[i] = number > 1 ? number : 1;
    }
}

/* Mark the best set among some items; return as `best_pack` does. */
static int solve(const double *values, const int64_t *costs, const int *items, int count, int64_t capacity,
                 int64_t limit, char *taken) {
    Dense order[FEW_ITEMS];
    Change changes[FEW_ITEMS];
    int places[FEW_ITEMS], full = 0, width = 0;
    int64_t room = capacity, more = 0;
    for (int k = 0; k < count; k++)
        order[k] = (Dense){costs[items[k]] ? values[items[k]] / (double)costs[items[k]] : INFINITY, items[k]};
    qsort(order, count, sizeof(Dense), by_density);
    for (; full < count && costs[order[full].item] <= room; full++) {
        room -= costs[order[full].item];
        taken[order[full].item] = 1;
    }
    if (full == count) return 1;
    int64_t left = room; /* a first known set: whatever else fits */
    for (int k = full + 1; k < count; k++)
        if (costs[order[k].item] <= left) {
            left -= costs[order[k].item];
            more += (int64_t)values[order[k].item];
        }
    double price = order[full].density, bound = (double)room * price + 0.5, slack = bound - (double)more;
    Pack filling = {0}, best = {more - 1, {0}};
    for (int k = 0; k < count; k++) {
        int i = items[k];
        double loss = values[i] - (double)costs[i] * price;
        if (!(loss >= -slack && loss <= slack)) continue;
        int64_t worth = (int64_t)values[i];
        places[width] = i;
        best.items[width >> 6] |= bit_of(width);
        if (taken[i]) {
            filling.items[width >> 6] |= bit_of(width);
            changes[width] = (Change){loss, costs[i], -worth, width};
        } else {
            changes[width] = (Change){-loss, -costs[i], worth, width};
        }
        width++;
    }
    qsort(changes, width, sizeof(Change), by_loss);
    int answer = best_pack(changes, width, room, bound, limit, &filling, &best);
    for (int place = 0; place < width; place++) taken[places[place]] = (best.items[place >> 6] & bit_of(place)) != 0;
    return answer;
}

static PyObject *knapsack(PyObject *self, PyObject *arguments) {
    (void)self;
    Py_buffer values, lengths, pinned;
    long long separator, room;
    if (!PyArg_ParseTuple(arguments, "y*y*y*LL", &values, &lengths, &pinned, &separator, &room)) return NULL;
    PyObject *found = NULL;
    int64_t count = ints(&values), costs[FEW_ITEMS];
    double scaled[FEW_ITEMS];
    int items[FEW_ITEMS], open = 0;
    char taken[FEW_ITEMS] = {0};
    if (count > FEW_ITEMS || ints(&lengths) != count || (pinned.len && pinned.len != count)) {
        PyErr_SetString(PyExc_ValueError, "the arrays do not belong together");
        goto done;
    }
    make_whole(values.buf, (int)count, scaled);
    for (int i = 0; i < count; i++) {
        costs[i] = ((const int64_t *)lengths.buf)[i] + separator;
        int may = ((const double *)values.buf)[i] > 0 && !(pinned.len && ((const char *)pinned.buf)[i]);
        if (may && costs[i] <= room) items[open++] = i;
    }
    /* As in `decide`: the search stops after about as long as a table would take. */
    int answer = solve(scaled, costs, items, open, room, open * (10 + room / 1000), taken);
    if (answer < 0) PyErr_NoMemory();
    else if (!answer) found = Py_NewRef(Py_None);
    else {
        found = PyList_New(0);
        for (int i = 0; found && i < count; i++) {
            if (!taken[i]) continue;
            PyObject *number = PyLong_FromLong(i);
            if (!number || PyList_Append(found, number)) Py_CLEAR(found);
            Py_XDECREF(number);
        }
    }
done:
    PyBuffer_Release(&values);
    PyBuffer_Release(&lengths);
    PyBuffer_Release(&pinned);
    return found;
}

static PyMethodDef methods[] = {
    {"consensus", consensus, METH_VARARGS, "Choose for many capacities what agrees best with samples."},
    {"knapsack", knapsack, METH_VARARGS, "Return the best set that fits, or None where the search takes too long."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "_compiled", "The searches of selectors, compiled.", 0, methods,
                                    NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__compiled(void) { return PyModule_Create(&module); }
