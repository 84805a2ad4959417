package dev.pvcpopulators.iscsitarget.login.text;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/// The text of a negotiation (RFC 7143, section 6.1): ordered pairs of key and value, each written
/// as `key=value` in UTF-8 and terminated by a NUL.
public final class TextKeys {
  /// The greatest length of a key-name in bytes.
  public static final int MAX_KEY_LENGTH = 63;

  /// The greatest length of a value in bytes, unless the definition of its key states another
  /// length.
  public static final int MAX_VALUE_LENGTH = 255;

  /// The maximum number of pairs of one received text; the specification defines fewer keys.
  public static final int MAX_PAIRS = 64;

  public static final String REJECT = "Reject";
  public static final String IRRELEVANT = "Irrelevant";
  public static final String NOT_UNDERSTOOD = "NotUnderstood";

  private static final Pattern KEY_NAME =
      Pattern.compile("[A-Za-z0-9.+@_#-]{1," + MAX_KEY_LENGTH + "}");

  /// One pair.
  public record Pair(String key, String value) {}

  private final List<Pair> pairs = new ArrayList<>();

  /// Appends a pair.
  public TextKeys add(String key, String value) {
    pairs.add(new Pair(key, value));
    return this;
  }

  public TextKeys add(String key, long value) {
    return add(key, Long.toString(value));
  }

  /// Appends all pairs of another text.
  public void addAll(TextKeys others) {
    pairs.addAll(others.pairs);
  }

  /// Answers a key that cannot be negotiated: with `Reject` if the key is known, else with
  /// `NotUnderstood`. Does not answer a pair whose value is `Reject`, `Irrelevant` or
  /// `NotUnderstood`, because such a pair is itself an answer.
  ///
  /// @param known whether the target knows the key
  public void refuse(Pair pair, boolean known) {
    switch (pair.value()) {
      case REJECT, IRRELEVANT, NOT_UNDERSTOOD -> {}
      default -> add(pair.key(), known ? REJECT : NOT_UNDERSTOOD);
    }
  }

  public List<Pair> pairs() {
    return List.copyOf(pairs);
  }

  /// Returns the value of a key; empty if the key is missing.
  public Optional<String> value(String key) {
    return pairs.stream().filter(pair -> pair.key().equals(key)).map(Pair::value).findFirst();
  }

  /// Reads pairs from the buffer's position to its limit, and advances the position.
  ///
  /// @throws MalformedTextException if the bytes are not pairs in UTF-8 that each end with a NUL,
  ///   if a key occurs twice (RFC 7143, section 6.2: a parameter is negotiated once), or if there
  ///   are more than [#MAX_PAIRS] pairs
  public static TextKeys read(ByteBuffer text) throws MalformedTextException {
    TextKeys keys = new TextKeys();
    Set<String> seen = new HashSet<>();
    while (text.hasRemaining()) {
      String item = item(text);
      if (item.isEmpty()) {
        continue; // a pair may be followed by more than one NUL
      }
      int equals = item.indexOf('=');
      String key = equals < 0 ? "" : item.substring(0, equals);
      if (!KEY_NAME.matcher(key).matches()) {
        throw new MalformedTextException("Text: expected key=value with a key-name, found none");
      }
      if (!seen.add(key)) {
        throw new MalformedTextException("Text: expected each key once, found two of " + key);
      }
      if (seen.size() > MAX_PAIRS) {
        throw new MalformedTextException("Text: expected at most " + MAX_PAIRS + " keys");
      }
      keys.add(key, item.substring(equals + 1));
    }
    return keys;
  }

  private static String item(ByteBuffer text) throws MalformedTextException {
    int end = text.position();
    while (end < text.limit() && text.get(end) != 0) {
      end++;
    }
    if (end == text.limit()) {
      throw new MalformedTextException("Text: expected a NUL after the last value, found none");
    }
    ByteBuffer item = text.slice(text.position(), end - text.position());
    text.position(end + 1);
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(item).toString();
    } catch (CharacterCodingException e) {
      throw new MalformedTextException("Text: expected UTF-8, found other bytes");
    }
  }

  /// Returns the text in its wire format.
  public ByteBuffer write() {
    StringBuilder text = new StringBuilder();
    for (Pair pair : pairs) {
      text.append(pair.key()).append('=').append(pair.value()).append('\0');
    }
    return ByteBuffer.wrap(text.toString().getBytes(StandardCharsets.UTF_8));
  }
}
