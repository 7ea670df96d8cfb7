-- For slides.html: w_i and w_(i−1) get a subscript, as in a formula. Code stays as it is.
function Str(text)
    local before, inner, after = text.text:match('^(.-)_(%b())(.*)$')
    if before and not before:find('_') then
        inner = inner:sub(2, -2)
    else
        before, inner, after = text.text:match('^(.-)_(%w+)(.*)$')
    end
    if not inner then
        return nil
    end
    local rest = Str(pandoc.Str(after)) or { pandoc.Str(after) }
    return { pandoc.Str(before), pandoc.Subscript({ pandoc.Str(inner) }), table.unpack(rest) }
end
