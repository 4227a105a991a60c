/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What recorders and counting sets keep: values one after another, or elements each with its number.
 *
 * A store belongs to its entry and lives as long; what is in it goes when the event ends. Its mutex is taken by each
 * function here but papi_sde_store_lock and its counterpart, which are for fork.
 */
#ifndef PAPI_SDE_STORE_H
#define PAPI_SDE_STORE_H

#include "sde/registry.h"

/* The store of an entry, made if there is none; NULL: no memory. */
struct papi_sde_store *papi_sde_store_get(struct papi_sde_entry *entry);

void papi_sde_store_lock(struct papi_sde_store *store);
void papi_sde_store_unlock(struct papi_sde_store *store);

/* Forgets and frees all values and elements. */
void papi_sde_store_clear(struct papi_sde_store *store);

/* papi_sde_tools.copy */
int papi_sde_store_copy(
	struct papi_sde_entry *entry, uint32_t incarnation, bool sorted, void **copy, size_t *count, size_t *size);

/* Whether the recorder has a comparison. */
bool papi_sde_store_sorts(struct papi_sde_store *store);

#endif
