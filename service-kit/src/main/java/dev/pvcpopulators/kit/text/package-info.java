/// Text for people: lengths and times in words, wrapped lines, the safe form of text from outside,
/// and the word that was meant by a misspelt one.
@NullMarked
package dev.pvcpopulators.kit.text;

import org.jspecify.annotations.NullMarked;
