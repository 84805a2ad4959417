/// Downloads of single files: the URLs, header fields and checksums of the files, and the
/// resumption of a download by `Range` and `If-Range`.
///
/// Specifications: RFC 9110 §8.8 (validators), §13.1.5 (`If-Range`), §14 (ranges).
@NullMarked
package dev.pvcpopulators.http.file;

import org.jspecify.annotations.NullMarked;
