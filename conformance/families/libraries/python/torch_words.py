# SPDX-License-Identifier: MIT
# torch_words.py -- words of requests as tensors of PyTorch, and back; without numpy
def torch_format(name):
    import torch
    return {"f32": torch.float32, "bf16": torch.bfloat16, "f16": torch.float16,
            "e4m3": torch.float8_e4m3fn, "e5m2": torch.float8_e5m2}[name]


def torch_open(place):
    """PyTorch and what it is, on "cpu" or "cuda"."""
    import torch
    if place == "cuda" and not torch.cuda.is_available():
        raise Absent("torch " + torch.__version__ + " has no GPU")
    on = torch.cuda.get_device_name() if place == "cuda" else "this processor"
    return torch, "torch " + torch.__version__ + ", " + on


def torch_tensor(request, name, place):
    import torch
    words = torch.frombuffer(request.words(name), dtype=torch.uint8)
    return words.view(torch_format(request.format(name))).reshape(request.shape(name)).to(place)


def torch_bytes(tensor, words, shape):
    """The bytes of what came, if it is what was asked for."""
    if tensor.dtype != torch_format(words) or tuple(tensor.shape) != tuple(shape):
        raise Broken("%s of %s came, not %s of %s" % (
            tensor.dtype, tuple(tensor.shape), torch_format(words), tuple(shape)))
    tensor = tensor.detach().cpu().contiguous()
    return ctypes.string_at(tensor.data_ptr(), tensor.numel() * tensor.element_size())


def torch_answer(request, out, lse=None):
    """out [batch][query][head][dim]; lse [batch][query][head]."""
    shape = request.shape("out")
    return (torch_bytes(out, request.out_words, shape),
            None if lse is None else torch_bytes(lse, "f32", shape[:3]))
