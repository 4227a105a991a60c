/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Assertions about the binary interface that the compiler checks, in C and in C++. A file that compiles has passed.
 *
 * The numbers are what programs compiled for libpapi.so.7.0 contain. A line that fails is repaired in the header, never
 * here: changing a number here means that such programs break.
 */
#ifndef PAPI_TESTS_LAYOUT_H
#define PAPI_TESTS_LAYOUT_H

#include <assert.h>
#include <stddef.h>

#include <papi.h>

#ifdef __cplusplus
#include <type_traits>
#define SAME_TYPE(first, second)     std::is_same<first, second>::value
#define TYPE_OF_MEMBER(type, member) decltype(type::member)
#define TYPE_OF(name)                decltype(name)
#else
#define SAME_TYPE(first, second)     __builtin_types_compatible_p(first, second)
#define TYPE_OF_MEMBER(type, member) __typeof__(((type *)0)->member)
#define TYPE_OF(name)                __typeof__(name)
#endif

#define SIZE(type, bytes) static_assert(sizeof(type) == (bytes), "size of " #type)

#define TYPE(type, expected) static_assert(SAME_TYPE(type, expected), "type " #type)

#define MEMBER(type, member, member_type, offset, bytes)                                     \
	static_assert(offsetof(type, member) == (offset), "offset of " #type "." #member);   \
	static_assert(sizeof(((type *)0)->member) == (bytes), "size of " #type "." #member); \
	static_assert(SAME_TYPE(TYPE_OF_MEMBER(type, member), member_type), "type of " #type "." #member)

/* Two names of one member. */
#define ALIAS(type, member, other)                                                         \
	static_assert(offsetof(type, member) == offsetof(type, other), #type "." #member); \
	static_assert(SAME_TYPE(TYPE_OF_MEMBER(type, member), TYPE_OF_MEMBER(type, other)), #type "." #member)

/* In long long, so that -1 and 0xffffffff differ. */
#define VALUE(name, value) static_assert((long long)(name) == (value), "value of " #name)

#define PRESET(name, index)                                      \
	static_assert(name##_idx == (index), "index of " #name); \
	static_assert((long long)(name) == (index)-2147483648LL, "code of " #name)

#define SIGNATURE(name, result, parameters) \
	static_assert(SAME_TYPE(TYPE_OF(name), result parameters), "signature of " #name)

#endif
